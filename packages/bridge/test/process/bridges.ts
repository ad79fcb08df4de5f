// What tests of the bridge process share: `it` hands each test a fresh directory, sessions and raw
// parents to serve from it, and real bridge processes, driven by raw lines. Every line of a bridge's
// stdout is checked to be a JSON-RPC message. When a test is over everything is stopped and removed.

import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it as plainIt } from "vitest";
import { createIPCSession, type IPCSession, type IPCSessionOptions, type ToolSource } from "../../src/index.ts";
import { startBridge, type BridgeOptions, type RawBridge } from "./raw-bridge.ts";
import { bundledBridge, startRawParent, type RawParent, type RawParentOptions } from "./raw-parent.ts";

export { defineTool, type ToolContext } from "@hawser/tools";
export type { Message, RawBridge } from "./raw-bridge.ts";

// Compiled code is kept for all starts of all test files, most of which end by SIGKILL and keep none; never in the user's own cache.
export const cacheHome: string = join(import.meta.dirname, "../../../../node_modules/.cache/hawser-tests-bridge");

export type StartBridge = (source: { command: string; args: readonly string[] }, options?: BridgeOptions) => RawBridge;

interface Helpers {
  directory: string;
  /** A started session of this process, whose clients start the bridge as it is shipped. */
  serve(tools: ToolSource, options?: IPCSessionOptions): Promise<IPCSession>;
  /** A socket that answers as the test says, with a schema file beside it. */
  parent(options: RawParentOptions): Promise<RawParent>;
  start: StartBridge;
}

export const it = plainIt.extend<Helpers>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of what a fixture needs from this pattern
  directory: async ({}, use) => {
    const directory = fs.mkdtempSync(join(tmpdir(), "hawser-test-"));
    await use(directory);
    // What was just ended may have one more file to make.
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
  },
  serve: async ({ directory }, use) => {
    const sessions: IPCSession[] = [];
    await use(async (tools, options) => {
      const session = createIPCSession(tools, { ...options, directory, bridgeCommand: [process.execPath, bundledBridge] });
      sessions.push(session);
      await session.start();
      return session;
    });
    await Promise.all(sessions.map((session) => session.stop()));
  },
  parent: async ({ directory }, use) => {
    const parents: RawParent[] = [];
    await use(async (options) => {
      const parent = await startRawParent(directory, options);
      parents.push(parent);
      return parent;
    });
    await Promise.all(parents.map((parent) => parent.stop()));
  },
  start: async ({ directory }, use) => {
    const bridges: RawBridge[] = [];
    await use((source, options = {}) => {
      const env = { XDG_CACHE_HOME: cacheHome, TMPDIR: directory, ...options.env };
      const bridge = startBridge(source, { ...options, env });
      bridges.push(bridge);
      return bridge;
    });
    for (const bridge of bridges) bridge.process.kill("SIGKILL");
    await Promise.all(bridges.map((bridge) => bridge.exited));
    const noise = bridges.flatMap((bridge) => bridge.noise);
    if (noise.length > 0) throw new Error(`stdout had lines that aren't JSON-RPC messages:\n${noise.join("\n").slice(0, 2_000)}`);
  },
});
