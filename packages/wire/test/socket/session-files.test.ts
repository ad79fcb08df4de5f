// What lies on the disk while a session lives, and after it. Compared with real modes and real files.

import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, vi } from "vitest";
import { createSessionFiles } from "../../src/socket/session-files.ts";
import { it } from "../process/real-programs.ts";
import { namesIn, permissionsOf, startSession } from "./sockets.ts";

const stderrLines = (): { lines: string[]; restore(): void } => {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => lines.push(String(text)) > 0);
  return { lines, restore: () => spy.mockRestore() };
};

/** Whatever the umask of whoever runs the tests is. */
function writeWithMode(path: string, mode: number): void {
  fs.writeFileSync(path, "precious");
  fs.chmodSync(path, mode);
}

describe("the files of a session", () => {
  it("R40, R49, R51 are a socket and a schema of mode 0600 and a directory of mode 0700, and nothing else", async ({ directory }) => {
    const { names, listener } = await startSession(namesIn(directory), { schema: "{}" });
    const entries = Object.fromEntries(fs.readdirSync(directory).map((name) => [name, permissionsOf(join(directory, name))]));
    expect(entries).toEqual({
      [`claudecode_ipc_${names.uuid}.d`]: "700",
      [`claudecode_ipc_${names.uuid}.sock`]: "600",
      [`claudecode_ipc_schema_${names.uuid}.json`]: "600",
    });
    expect(fs.readdirSync(names.privateDirectory)).toEqual(["schema.json"]);
    await listener.close();
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("R50 are gone after the first of many removals", async ({ directory }) => {
    const { files, listener } = await startSession(namesIn(directory), { schema: "{}" });
    files.remove();
    expect(fs.readdirSync(directory)).toEqual([]);
    files.remove();
    await listener.close();
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it.for(["000", "777", "022"])("R49, H10 have the same modes under umask %s", async (umask, { directory, start }) => {
    const program = start("socket-sessions.ts", { args: ["--directory", directory], before: `umask ${umask}` });
    await program.whenPrinted("started");
    const modes = fs.readdirSync(directory).map((name) => `${name.replace(/[0-9a-f]{32}/, "…")} ${permissionsOf(join(directory, name))}`);
    expect(modes.sort()).toEqual(["claudecode_ipc_schema_….json 600", "claudecode_ipc_….d 700", "claudecode_ipc_….sock 600"]);
    program.process.stdin?.end();
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("remove everything else and say so when one of them can't be removed", async ({ directory }) => {
    const { names, listener } = await startSession(namesIn(directory), { schema: "{}" });
    const { rmSync } = fs;
    const spy = vi.spyOn(fs, "rmSync").mockImplementation((path, options) => {
      if (path === names.socketPath) throw new Error("the disk says no");
      rmSync(path, options);
    });
    const stderr = stderrLines();
    await listener.close();
    spy.mockRestore();
    stderr.restore();
    expect(fs.readdirSync(directory)).toEqual([`claudecode_ipc_${names.uuid}.sock`]);
    expect(stderr.lines.join("")).toContain(`can't remove ${names.socketPath}: the disk says no`);
  });
});

describe("a name that somebody else has taken", () => {
  it("SOK-07 is refused when the schema's name is a symbolic link, and its target is unchanged", ({ directory }) => {
    const names = namesIn(directory);
    const victim = join(directory, "victim");
    writeWithMode(victim, 0o644);
    fs.symlinkSync(victim, names.schemaPath);
    const files = createSessionFiles(names);
    expect(() => files.publishSchema("{}")).toThrow(expect.objectContaining({ code: "name_taken", facts: { path: names.schemaPath } }));
    files.remove();
    expect(fs.readdirSync(directory).sort()).toEqual([`claudecode_ipc_schema_${names.uuid}.json`, "victim"]);
    expect([fs.readFileSync(victim, "utf8"), permissionsOf(victim)]).toEqual(["precious", "644"]);
    expect(fs.readlinkSync(names.schemaPath)).toBe(victim);
  });

  it("SOK-07 is refused when the schema's name is a file of mode 0644, which stays as it was", ({ directory }) => {
    const names = namesIn(directory);
    writeWithMode(names.schemaPath, 0o644);
    const files = createSessionFiles(names);
    expect(() => files.publishSchema("{}")).toThrow(expect.objectContaining({ code: "name_taken" }));
    files.remove();
    expect([fs.readFileSync(names.schemaPath, "utf8"), permissionsOf(names.schemaPath)]).toEqual(["precious", "644"]);
  });

  it.for(["directory", "link", "file"])(
    "SOK-07 is refused when the private directory's name is a %s, which stays",
    (kind, { directory }) => {
      const names = namesIn(directory);
      const victim = join(directory, "victim");
      fs.mkdirSync(victim);
      fs.chmodSync(victim, 0o755);
      fs.writeFileSync(join(victim, "content"), "precious");
      if (kind === "directory") fs.renameSync(victim, names.privateDirectory);
      if (kind === "link") fs.symlinkSync(victim, names.privateDirectory);
      if (kind === "file") fs.renameSync(join(victim, "content"), names.privateDirectory);
      expect(() => createSessionFiles(names)).toThrow(
        expect.objectContaining({ code: "name_taken", facts: { path: names.privateDirectory } }),
      );
      const content = kind === "file" ? names.privateDirectory : join(names.privateDirectory, "content");
      expect(fs.readFileSync(content, "utf8")).toBe("precious");
      if (kind !== "file") expect((fs.statSync(names.privateDirectory).mode & 0o777).toString(8)).toBe("755");
    },
  );

  it("SOK-15 is left alone at the end: what another put at our public names is not ours to remove", async ({ directory }) => {
    const { names, listener } = await startSession(namesIn(directory), { schema: "{}" });
    for (const path of [names.socketPath, names.schemaPath]) {
      fs.unlinkSync(path);
      fs.writeFileSync(path, "somebody else's");
    }
    await listener.close();
    expect(fs.readdirSync(directory)).toHaveLength(2);
    for (const path of [names.socketPath, names.schemaPath]) expect(fs.readFileSync(path, "utf8")).toBe("somebody else's");
  });
});

describe("the private directory at the end", () => {
  it.for(["link", "directory"])("SOK-15 is left alone when a %s of somebody else is in its place", (kind, { directory }) => {
    const victim = join(directory, "victim");
    fs.mkdirSync(victim);
    for (const name of ["schema.json", "s", "other"]) fs.writeFileSync(join(victim, name), "precious");
    const names = namesIn(directory);
    const files = createSessionFiles(names);
    files.publishSchema("{}");
    fs.renameSync(names.privateDirectory, join(directory, "moved"));
    if (kind === "link") fs.symlinkSync(victim, names.privateDirectory);
    else fs.renameSync(victim, names.privateDirectory);
    files.remove();
    expect(fs.readdirSync(names.privateDirectory).toSorted()).toEqual(["other", "s", "schema.json"]);
    expect(fs.existsSync(names.schemaPath)).toBe(false);
  });
});

describe("the schema file", () => {
  it("SOK-08 of 50 MB appears complete and with mode 0600, however fast one looks", async ({ directory, start }) => {
    const options = ["--directory", directory, "--schema-bytes", "50000000"];
    const watch = start("socket-watch.ts", { args: options });
    await watch.whenPrinted("watching");
    const program = start("socket-sessions.ts", { args: options, before: "umask 0" });
    await program.whenPrinted("started");
    watch.process.stdin?.end();
    expect(await watch.ended).toEqual({ code: 0, signal: null });
    const saw = JSON.parse(watch.stdout.split("\n")[1] ?? "") as unknown;
    expect(saw).toEqual({ counts: { socket: 1, schema: 1, directory: 1, lock: 0 }, faults: [] });
    const [schema] = fs.readdirSync(directory).filter((name) => name.endsWith(".json"));
    const content = JSON.parse(fs.readFileSync(join(directory, schema ?? ""), "utf8")) as { padding: string };
    expect(content.padding.length).toBe(50_000_000);
  });
});
