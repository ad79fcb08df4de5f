// Completion through the real program and a real bash: commands, options, and what only this machine knows.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { suites } from "@hawser/conformance";
import { startDemoApi } from "@hawser/gateway";
import { hawser, igw, makePlace, runIn, type Place } from "./gateway-stage.ts";

const run = promisify(execFile);

/** What is offered for the last word, with its description. */
async function complete(place: Place, ...words: string[]): Promise<string[]> {
  const { stdout } = await runIn(place, ["complete", "--", ...words]);
  return stdout
    .split("\n")
    .filter((line) => line.includes("\t"))
    .map((line) => line.replace("\t", ": "));
}

/** A place whose configuration has the profile `plant`. */
function makeConfigured(): Place {
  const place = makePlace();
  mkdirSync(join(place.folder, "igw"));
  writeFileSync(join(place.folder, "igw", "config.json"), JSON.stringify({ profiles: { plant: { gatewayURL: "http://plant:8088" } } }));
  return { ...place, env: { ...place.env, XDG_CACHE_HOME: place.folder } };
}

function writeSpec(place: Place, ids: readonly string[]): string {
  const paths = Object.fromEntries(
    ids.map((operationId, at) => [`/p${at}`, { get: { operationId, summary: `does\n${at}`, responses: {} } }]),
  );
  const path = join(place.folder, "spec.json");
  writeFileSync(path, JSON.stringify({ openapi: "3.0.0", info: { title: "t", version: "1" }, paths }));
  return path;
}

describe.concurrent("completes", () => {
  it("commands with their summaries, options and choices", async () => {
    const place = makePlace();
    expect(await complete(place, "con")).toEqual([
      "conform: check an implementation of a protocol",
      "config: addresses and tokens that are kept",
    ]);
    expect(await complete(place, "config", "profile", "")).toContain("add: Adds a profile, or changes it. The first one becomes active.");
    expect((await complete(place, "rpc", "--wor"))[0]).toMatch(/^--workers: /);
    expect(await complete(place, "rpc", "--overflow", "")).toEqual(["block: ", "reject: "]);
  });

  it("profiles and suites", async () => {
    const place = makeConfigured();
    const plant = ["plant: http://plant:8088"];
    expect(await complete(place, "call", "--profile", "")).toEqual(plant);
    expect(await complete(place, "api", "list", "--profile=pl")).toEqual(plant);
    expect(await complete(place, "config", "profile", "use", "")).toEqual(plant);
    expect((await complete(place, "conform", "")).map((line) => line.split(":")[0])).toEqual(Object.keys(suites));
  });

  it("operation ids and paths of a document that a command has read, but none that a shell would run", async () => {
    const place = makeConfigured();
    const spec = writeSpec(place, ["readTag", "read;reboot", "read$(reboot)", "read`x`", "read me", "writeTag"]);
    expect(await complete(place, "call", "--spec-file", spec, "--op", "read")).toEqual([]);
    await runIn(place, ["api", "list", "--spec-file", spec]);
    expect(await complete(place, "call", "--spec-file", spec, "--op", "read")).toEqual(["readTag: does 0"]);
    expect(await complete(place, "call", `--spec-file=${spec}`, "--op=w")).toEqual(["writeTag: does 5"]);
    expect(await complete(place, "api", "show", "--spec-file", spec, "")).toEqual(["readTag: does 0", "writeTag: does 5"]);
    expect(await complete(place, "api", "show", "--spec-file", spec, "/p5")).toEqual(["/p5: does 5"]);
  });

  it("operation ids of the gateway's document from its copy only: the gateway is never asked", async () => {
    const demo = await startDemoApi({ token: "demo-token" });
    const target = makePlace(demo);
    const place = { ...target, env: { ...target.env, XDG_CACHE_HOME: target.folder } };
    expect(await complete(place, "call", "--op", "listL")).toEqual([]);
    await runIn(place, ["api", "sync"]);
    await demo.stop();
    expect(await complete(place, "call", "--op", "listL")).toEqual(["listLogs: Lists log entries, newest first"]);
  });

  it("nothing where the document never comes: it is not opened", async (context) => {
    if (process.platform === "win32") context.skip("needs a named pipe");
    const place = makeConfigured();
    const pipe = join(place.folder, "spec.json");
    await run("mkfifo", [pipe]);
    expect(await complete(place, "call", "--spec-file", pipe, "--op", "")).toEqual([]);
  });
});

describe.concurrent("completion", () => {
  it.each(["bash", "zsh", "fish"])("%s prints a script that asks this program", async (shell) => {
    const { code, stdout } = await runIn(makePlace(), ["completion", shell], { program: igw });
    expect(code).toBe(0);
    expect(stdout).toMatch(/igw complete/);
  });

  it("for a shell that it does not know is a mistake", async () => {
    expect((await runIn(makePlace(), ["completion", "tcsh"])).code).toBe(2);
  });

  it("in bash may be read twice, completes, and runs nothing of what is typed", async () => {
    const place = makeConfigured();
    symlinkSync(hawser, join(place.folder, "hawser"));
    const script = `
      source <(hawser completion bash); source <(hawser completion bash)
      try() { COMP_LINE="$1"; COMP_POINT=\${#1}; _hawser_complete; printf '%s\\n' "\${COMPREPLY[*]}"; }
      try 'hawser tou'; try 'hawser call --profile '; try 'hawser call --profile=p'; try "hawser call --path \\$(touch $MARK) --metho"`;
    const mark = join(place.folder, "mark");
    const env = { ...process.env, ...place.env, PATH: `${place.folder}:${process.env["PATH"] ?? ""}`, MARK: mark };
    const { stdout, stderr } = await run("bash", ["--norc", "-c", script], { env });
    expect([stdout, stderr]).toEqual(["tour\nplant\nplant\n--method\n", ""]);
    expect(existsSync(mark)).toBe(false);
  });
});
