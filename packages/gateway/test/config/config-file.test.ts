// The configuration file: read as `igw` wrote it, changed without losing what we don't know, never half
// written, never readable for others.

import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createHolderName } from "@hawser/wire/internal/node";
import { describe, expect, it } from "vitest";
import { changeConfig, configPath, loadConfig, saveConfig } from "../../src/config/config-file.ts";
import { addProfile, listProfiles, maskToken, removeProfile, setValues, useProfile } from "../../src/config/profiles.ts";
import { freshHome } from "../core-fixture.ts";

function homeWith(content?: string): { env: { HOME: string }; path: string } {
  const env = { HOME: freshHome() };
  const path = configPath(env);
  mkdirSync(dirname(path), { recursive: true });
  if (content !== undefined) writeFileSync(path, content);
  return { env, path };
}

function writeLock(path: string, content: string, ageMs: number): void {
  const writtenAt = new Date(Date.now() - ageMs);
  writeFileSync(`${path}.lock`, content);
  utimesSync(`${path}.lock`, writtenAt, writtenAt);
}

describe("its place", () => {
  it.each([
    [{ HOME: "/h" }, "linux", "/h/.config/igw/config.json"],
    [{ HOME: "/h", XDG_CONFIG_HOME: "/x" }, "linux", "/x/igw/config.json"],
    [{ HOME: "/h", XDG_CONFIG_HOME: "relative" }, "darwin", "/h/.config/igw/config.json"],
    [{ HOME: "/h", APPDATA: "/a" }, "win32", "/a/igw/config.json"],
    [{ HOME: "/h", HAWSER_GATEWAY_CONFIG: "/own/plant.json" }, "linux", "/own/plant.json"],
    [{ APPDATA: "/a", HAWSER_GATEWAY_CONFIG: "/own/plant.json" }, "win32", "/own/plant.json"],
    [{ HOME: "/h", HAWSER_GATEWAY_CONFIG: " " }, "linux", "/h/.config/igw/config.json"],
  ] as const)("%j on %s", (env, platform, path) => expect(configPath(env, platform)).toBe(path));
});

describe("reading", () => {
  it("no file is an empty configuration", async () => expect(await loadConfig({ HOME: freshHome() })).toEqual({}));

  it.each([
    ["", "is not JSON"],
    ['{"token":"secret', "is not JSON"],
    ["[]", "is not a JSON object"],
    ['{"token":5}', "token is not a string"],
    ['{"activeProfile":{}}', "activeProfile is not a string"],
    ['{"profiles":[]}', "profiles is not an object"],
    ['{"profiles":{"a":"secret"}}', 'profile "a" is not an object'],
    ['{"profiles":{"a":{"gatewayURL":["secret"]}}}', 'gatewayURL of profile "a" is not a string'],
  ])("a broken file %s is refused with its name and the reason, without its content", async (content, reason) => {
    const { env, path } = homeWith(content);
    const error = await loadConfig(env).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: "usage", facts: { kind: "config" } });
    expect((error as Error).message).toContain(`${path}: ${reason}`);
    expect((error as Error).message).not.toContain("secret");
  });

  it("a file of more than a mebibyte is refused", async () => {
    const { env } = homeWith(" ".repeat(1_048_577));
    await expect(loadConfig(env)).rejects.toThrow("is larger than 1048576 bytes");
  });
});

describe("writing", () => {
  it("keeps what it does not know, is private, and leaves nothing beside it", async () => {
    const { env, path } = homeWith('{"zzz":{"a":[1]},"profiles":{"p":{"gatewayURL":"http://a","yyy":1}}}');
    chmodSync(path, 0o644);
    await changeConfig((config) => setValues(config, { gatewayURL: "http://127.0.0.1:1", token: "t" }), env);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      zzz: { a: [1] },
      profiles: { p: { gatewayURL: "http://a", yyy: 1 } },
      gatewayURL: "http://127.0.0.1:1",
      token: "t",
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path))).toEqual(["config.json"]);
  });

  it("makes its folder for its owner alone", async () => {
    const env = { HOME: freshHome() };
    await saveConfig({ token: "t" }, env);
    expect(statSync(dirname(configPath(env))).mode & 0o777).toBe(0o700);
  });

  it("follows a link to where the file is kept", async () => {
    const { env, path } = homeWith();
    const kept = join(env.HOME, "kept.json");
    writeFileSync(kept, "{}");
    symlinkSync(kept, path);
    await changeConfig((config) => setValues(config, { token: "t" }), env);
    expect(JSON.parse(readFileSync(kept, "utf8"))).toEqual({ token: "t" });
  });

  it("a change that is refused leaves file and lock as they were", async () => {
    const { env, path } = homeWith("{}");
    await expect(changeConfig((config) => useProfile(config, "none"), env)).rejects.toThrow('profile "none" not found');
    expect([readFileSync(path, "utf8"), readdirSync(dirname(path))]).toEqual(["{}", ["config.json"]]);
  });

  it.each([
    ["that names it", () => createHolderName().replace(/^\d+/, String(spawnSync(process.execPath, ["--version"]).pid)), 0],
    ["that names nobody", () => "", 20_000],
    ["whose id another one has by now", () => createHolderName().replace(/-\d+-/, "-1-"), 0],
    [
      "in another container, before this machine was started",
      () => createHolderName().replace(/-[0-9a-f]{8}-/, "-ffffffff-"),
      10 * 365 * 86_400_000,
    ],
  ])("a lock that a dead process left behind %s is taken over, and nothing of it is left", async (_which, write, ageMs) => {
    const { env, path } = homeWith("{}");
    writeLock(path, write(), ageMs);
    await Promise.all(["a", "b", "c"].map((name) => changeConfig((config) => addProfile(config, name, {}), env)));
    expect(Object.keys((await loadConfig(env)).profiles ?? {}).toSorted()).toEqual(["a", "b", "c"]);
    expect(readdirSync(dirname(path))).toEqual(["config.json"]);
  });

  it.each([
    ["lives", createHolderName(), 300_000],
    ["is in another container and was heard of lately", createHolderName().replace(/-[0-9a-f]{8}-/, "-ffffffff-"), 50_000],
  ])("a lock whose process %s is waited for, also where that is slow", async (_which, holder, ageMs) => {
    const { env, path } = homeWith("{}");
    writeLock(path, holder, ageMs);
    const changed = changeConfig((config) => setValues(config, { token: "t" }), env);
    await sleep(200);
    expect(await loadConfig(env)).toEqual({});
    rmSync(`${path}.lock`);
    await changed;
    expect(await loadConfig(env)).toEqual({ token: "t" });
  });

  it("writers in several processes lose nothing, and readers never see half of a file", async () => {
    const { env, path } = homeWith("{}");
    const source = fileURLToPath(new URL("../../src/config/", import.meta.url));
    const program = `
      import { changeConfig } from ${JSON.stringify(`${source}config-file.ts`)};
      import { addProfile } from ${JSON.stringify(`${source}profiles.ts`)};
      for (let n = 0; n < 10; n++) await changeConfig((c) => addProfile(c, process.argv[1] + n, { gatewayURL: "http://a" }), { HOME: ${JSON.stringify(env.HOME)} });`;
    const children = ["a", "b", "c"].map((name) =>
      spawn(process.execPath, ["--conditions=hawser-source", "--input-type=module", "-e", program, name], {
        cwd: source,
        stdio: "inherit",
      }),
    );
    const ends = Promise.all(children.map((child) => new Promise((resolve) => child.on("exit", resolve))));
    let isOver = false;
    void ends.then(() => (isOver = true));
    while (!isOver) {
      JSON.parse(readFileSync(path, "utf8"));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await ends).toEqual([0, 0, 0]);
    expect(Object.keys((await loadConfig(env)).profiles ?? {}).length).toBe(30);
  });
});

describe("profiles", () => {
  const two = addProfile(addProfile({}, "a", { gatewayURL: "http://a", token: "token-of-a-1" }), "b", { gatewayURL: "http://b" });

  it("the first one added becomes active, the second does not", () => {
    expect(two).toMatchObject({ activeProfile: "a", profiles: { a: { gatewayURL: "http://a" }, b: { gatewayURL: "http://b" } } });
    expect(useProfile(two, "b").activeProfile).toBe("b");
  });

  it("are listed with their token masked", () => {
    expect(listProfiles(two)).toEqual([
      { name: "a", active: true, gatewayURL: "http://a", token: "toke...-1" },
      { name: "b", active: false, gatewayURL: "http://b" },
    ]);
    expect(["", "abc", "12345678", "123456789"].map(maskToken)).toEqual(["", "****", "****", "1234...89"]);
  });

  it("a removed one is gone, and not active any more", () => {
    expect(removeProfile(two, "a")).toEqual({ profiles: { b: { gatewayURL: "http://b" } } });
    expect(() => removeProfile(two, "c")).toThrow('profile "c" not found');
    expect(() => useProfile(two, "toString")).toThrow("not found");
  });

  it("names and values are checked before they are written", () => {
    for (const name of ["", " ", "a b", "__proto__", "a/b", "x".repeat(65)]) expect(() => addProfile({}, name, {})).toThrow("name");
    expect(() => setValues({}, { gatewayURL: "ftp://a" })).toThrow("http");
    expect(() => setValues({}, { token: "a\nb" })).toThrow("control character");
    expect(setValues({ token: "t", gatewayURL: "http://a" }, { token: "" })).toEqual({ gatewayURL: "http://a" });
  });
});
