// The desktop app as its files describe it, without Rust: its configuration is one that Tauri takes, its page
// may do no more than it needs, and the same things are called the same everywhere.

import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import limits from "./pinned-limits.json" with { type: "json" };

const root = resolve(import.meta.dirname, "..");
const app = "apps/desktop/src-tauri";
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const readJson = (path: string): unknown => JSON.parse(read(path));

interface Configuration {
  readonly version: string;
  readonly build: { readonly frontendDist: string; readonly devUrl?: string };
  readonly app: {
    readonly withGlobalTauri: boolean;
    readonly security: { readonly csp: Readonly<Record<string, string>>; readonly capabilities: readonly string[] };
  };
  readonly plugins?: unknown;
}
const configuration = readJson(`${app}/tauri.conf.json`) as Configuration;

/** Commands of the app: what the page may call, and no other. */
const commands = [
  "agent_hello",
  "agent_send",
  "file_put",
  "folder_pick",
  "key_set",
  "keys_get",
  "quit",
  "settings_get",
  "settings_set",
  "theme_set",
];

describe("tauri.conf.json", () => {
  const schema = readJson("node_modules/@tauri-apps/cli/config.schema.json") as object;
  // Formats of Rust's numbers and of addresses are not known to it; their types are checked all the same.
  const isValid = new Ajv({ strict: false, unicodeRegExp: false, validateFormats: false, allErrors: true }).compile(schema);

  it("is what the schema of the installed Tauri describes", () => {
    isValid(configuration);
    expect(isValid.errors).toBeNull();
  });

  it.each([{ identifier: undefined }, { app: { windows: "none" } }, { bundel: {} }])("would not be with %j", (facts) => {
    expect(isValid(JSON.parse(JSON.stringify({ ...configuration, ...facts })))).toBe(false);
  });

  it("shows the built page, and nothing from elsewhere", () => {
    expect(resolve(root, app, configuration.build.frontendDist)).toBe(resolve(root, "packages/shell/dist/page"));
    expect(configuration.build.devUrl).toBeUndefined();
    expect(configuration.app.withGlobalTauri).toBe(false);
  });

  it("lets the page load no more than the local server does, and speak to the app only", () => {
    const { "connect-src": connect, ...policy } = configuration.app.security.csp;
    const served = [...read("packages/shell/src/server/respond.ts").matchAll(/^ +"([a-z-]+) ('[^"]+)",$/gm)];
    expect(connect).toBe("ipc: http://ipc.localhost");
    expect(policy).toEqual(Object.fromEntries(served.map(([, directive, value]) => [directive, value])));
    expect(policy["default-src"]).toBe("'none'");
  });
});

describe("capabilities", () => {
  const files = globSync(`${app}/capabilities/*.json`, { cwd: root });

  it("are one file, for the page in the one window, never for another address", () => {
    expect(files.map((file) => file.split(/[\\/]/).at(-1))).toEqual(["page.json"]);
    expect(configuration.app.security.capabilities).toEqual(["page"]);
    const capability = readJson(files[0] ?? "") as Record<string, unknown>;
    expect(capability).toMatchObject({ local: true, windows: ["main"] });
    expect(capability).not.toHaveProperty("remote");
  });

  it("name two permissions of Tauri and the app's own commands, one by one", () => {
    const { permissions } = readJson(files[0] ?? "") as { permissions: string[] };
    const own = commands.map((command) => `allow-${command.replaceAll("_", "-")}`);
    expect(permissions.toSorted()).toEqual([...own, "core:event:allow-listen", "core:event:allow-unlisten"].toSorted());
  });

  it("cover what the app answers to and what the page calls", () => {
    const sources = globSync(`${app}/src/**/*.rs`, { cwd: root }).map(read).join("\n");
    const handled = /generate_handler!\[([^\]]*)\]/.exec(sources)?.[1] ?? "";
    const names = handled.split(",").map((path) => path.trim().split("::").at(-1) ?? "");
    expect(names.filter((name) => name !== "").toSorted()).toEqual(commands);
    const page = globSync("packages/shell/src/page/links/*.ts", { cwd: root }).map(read).join("\n");
    expect(commands.filter((command) => !page.includes(`"${command}"`))).toEqual([]);
  });
});

it("the app, its configuration and the runtime inside have one version", () => {
  const cargo = /^version = "([^"]+)"/m.exec(read(`${app}/Cargo.toml`))?.[1];
  const versionOf = (path: string): string => (readJson(path) as { version: string }).version;
  const versions = [cargo, configuration.version, versionOf("apps/desktop/package.json"), versionOf("packages/hawser/package.json")];
  expect(new Set(versions).size, versions.join(", ")).toBe(1);
});

describe("the bounds of a runtime's life", () => {
  const source = read(`${app}/src/runtime/limits.rs`);
  const unitsOf = { secs: 1_000, millis: 1 } as const;
  const boundOf = (name: string): number => {
    const [, unit, duration, plain] =
      new RegExp(`^ +${name}: (?:Duration::from_(secs|millis)\\(([\\d_]+)\\)|([\\d_]+)),$`, "m").exec(source) ??
      expect.fail(`there is no ${name}`);
    return Number((duration ?? plain ?? "").replaceAll("_", "")) * (unit === undefined ? 1 : unitsOf[unit as keyof typeof unitsOf]);
  };

  it.each([
    ["line_bytes", "maxMessageBytes"],
    ["waiting_bytes", "maxUnsentBytes"],
    ["ready", "hostReadyMs"],
    ["restart", "hostRestartMs"],
    ["crash_entries", "hostCrashEntries"],
    ["crash_window", "hostCrashWindowMs"],
    ["stop_input", "stopInputMs"],
    ["stop_signal", "hostStopMs"],
    ["flush", "closeFlushMs"],
  ] as const)("%s is what the web shell's host has as %s", (name, hostName) => {
    expect(boundOf(name)).toBe(limits[hostName]);
  });

  it.each([
    ["FILE_BYTES", "shellFileBytes"],
    ["FILES_BYTES", "shellFilesBytes"],
  ] as const)("%s, of what is attached, is what the web shell has as %s", (name, shellName) => {
    const [, value] = new RegExp(`^const ${name}: usize = ([\\d_]+);$`, "m").exec(read(`${app}/src/attached_files.rs`)) ?? [];
    expect(Number(value?.replaceAll("_", ""))).toBe(limits[shellName]);
  });

  it("the oldest Node is the one that the packages name", () => {
    const [, major, minor] = /^const OLDEST: \(u32, u32\) = \((\d+), (\d+)\);$/m.exec(read(`${app}/src/runtime/node_lookup.rs`)) ?? [];
    const { engines } = readJson("packages/hawser/package.json") as { engines: { node: string } };
    expect(engines.node).toBe(`>=${major}.${minor}`);
  });
});
