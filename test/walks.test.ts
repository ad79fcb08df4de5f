// The walks of docs/architecture.md, with real processes: each file that a walk names has run a function while one request
// passed through, and there are no more files than promised.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ownImportsOf, root } from "../scripts/architecture/sources.ts";
import { startCovered, type CoveredProgram } from "./covered-program.ts";

const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
const hawser = "packages/hawser/bin/hawser.cjs";

function sectionOf(title: string): string {
  const [, walk = ""] = page.split(new RegExp(`^## Walk: ${title}$`, "m"));
  return walk.split(/^## /m)[0] ?? "";
}

/** Every file that a walk names, in a step or beside it. */
const namedIn = (title: string): string[] => [...new Set(sectionOf(title).match(/packages\/[\w./-]+\.tsx?/g))];

/** The files of a walk, by the part that they run in, in the order of the page. */
function readWalk(title: string): Record<string, readonly string[]> {
  return Object.fromEntries(
    sectionOf(title)
      .split(/^### /m)
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf("\n")), [...part.matchAll(/^\d+\. `(packages\/[^`]+)`/gm)].map(([, file = ""]) => file)]),
  );
}

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function start(args: readonly string[], env?: NodeJS.ProcessEnv): CoveredProgram {
  const folder = mkdtempSync(join(tmpdir(), "hawser-walk-"));
  folders.push(folder);
  return startCovered({ args, folder, env });
}

/** Everything that can be reached from a file by imports inside its package. */
function closureOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !/\.tsx?$/.test(file)) return seen;
  seen.add(file);
  for (const next of ownImportsOf(file)) closureOf(next, seen);
  return seen;
}

const missingIn = (files: readonly string[] | undefined, executed: readonly string[]): string[] =>
  (files ?? ["the page names no files"]).filter((file) => !executed.includes(file));

describe("the walk of a tool call", () => {
  const { "In the bridge process": inBridge = [], "In your program": inProgram = [] } = readWalk("a tool call");

  it("is what a real bridge and a real program run, no file of the bridge more or less", async () => {
    const program = start(["test/fixtures/walk-parent.ts"]);
    const { args, env } = JSON.parse(await program.readLine()) as { args: string[]; env?: NodeJS.ProcessEnv };
    const bridge = start(args, env);
    const clientInfo = { name: "walk", version: "1" };
    bridge.writeLine({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
    });
    await bridge.readLine();
    bridge.writeLine({ jsonrpc: "2.0", method: "notifications/initialized" });
    const call = async (id: number): Promise<string> => {
      bridge.writeLine({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "add", arguments: { a: 1, b: 2 } } });
      return bridge.readLine();
    };
    await call(1);
    await bridge.takeExecuted();
    await program.takeExecuted();
    expect(await call(2)).toContain('"text":"3"');
    const ofBridge = (files: readonly string[]): string[] => files.filter((file) => file.startsWith("packages/bridge/"));
    expect(ofBridge(await bridge.takeExecuted())).toEqual(inBridge.toSorted());
    expect(ofBridge(await program.takeExecuted())).toEqual(inProgram.toSorted());
    await bridge.end();
    await program.end();
  });

  it("has at most 8 files in the bridge process and 4 in your program", () => {
    expect(inBridge.length).toBeLessThanOrEqual(8);
    expect(inProgram.length).toBeLessThanOrEqual(4);
  });
});

describe("the walk of an rpc call", () => {
  const { "In the rpc process": files = [] } = readWalk("an rpc call");

  it("is what a real `hawser rpc` runs", async () => {
    const rpc = start([hawser, "rpc", "--demo"]);
    const call = async (id: number): Promise<string> => {
      rpc.writeLine({ id, op: "call", args: { op: "gatewayInfo" } });
      return rpc.readLine();
    };
    await call(1);
    await rpc.takeExecuted();
    expect(await call(2)).toContain('"status":200');
    expect(missingIn(files, await rpc.takeExecuted())).toEqual([]);
    await rpc.end();
  });

  it("has at most 12 files", () => {
    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThanOrEqual(12);
  });
});

describe("the walk of a token", () => {
  const walk = readWalk("a token");
  const { "In the runtime": inRuntime, "In the shell's server": inServer, "In the page": inPage, "On the screen": onScreen = [] } = walk;
  const question = "what is 12 * 34?";

  it("is what a real `hawser agent` runs", async () => {
    const agent = start([hawser, "agent", "--model", "offline"]);
    const ask = async (id: string): Promise<void> => {
      agent.writeLine({ id, kind: "user_message", message: question });
      await agent.readLine((line) => line.includes(`"id":"${id}","type":"done"`));
    };
    await agent.readLine();
    await ask("first");
    await agent.takeExecuted();
    await ask("second");
    expect(missingIn(inRuntime, await agent.takeExecuted())).toEqual([]);
    await agent.end();
  });

  it("is what a real `hawser shell` runs, and a page that is connected to it", async () => {
    const shell = start([hawser, "shell", "--no-open", "--model", "offline", "--no-history"]);
    const [address = ""] = /http:\S+/.exec(await shell.readLine((line) => line.includes("http:"))) ?? [];
    const tab = start(["packages/shell/test/page/screenless-page.ts", address]);
    const ask = async (): Promise<string> => {
      tab.writeLine(question);
      return tab.readLine();
    };
    await ask();
    await shell.takeExecuted();
    await tab.takeExecuted();
    expect(await ask()).toContain("408");
    expect(missingIn(inServer, await shell.takeExecuted())).toEqual([]);
    expect(missingIn(inPage, await tab.takeExecuted())).toEqual([]);
    await tab.end();
    await shell.end("SIGTERM");
  });

  it("ends in components that the page has", () => {
    expect(onScreen.length).toBeGreaterThan(0);
    expect(missingIn(onScreen, [...closureOf("packages/shell/src/page/main.tsx")])).toEqual([]);
  });

  it("has at most 14 files, as `npm run measure` counts them", () => {
    const steps = Object.values(walk).flat();
    expect(namedIn("a token").toSorted()).toEqual(steps.toSorted());
    expect(steps.length).toBeLessThanOrEqual(14);
  });
});
