// MCP servers as a client starts them: the bundled bridge, with the program that owns its functions
// behind it, a server on the same official library without a bridge, and the least that stands between a
// client and another program. All of them offer the same tools.

import fs from "node:fs";
import { join, resolve } from "node:path";
import { buildStep } from "../../scripts/tasks/build.ts";
import { createTemporaryDirectory, readFirstLine, startProgram } from "../program.ts";
import type { RowContext } from "../row.ts";

export interface ServerCommand {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export interface BridgeServers {
  /** The bridge whose compiled code lies in the cache, as after its first start on a machine. */
  readonly warm: ServerCommand;
  /** The bridge with an empty cache, made for this one start. */
  cold(): ServerCommand;
  /** A relay of a few lines in front of a program that echoes frames. */
  readonly relay: ServerCommand;
  readonly unbridged: ServerCommand;
  readonly unbridgedCached: ServerCommand;
}

const bundle = resolve(import.meta.dirname, "../../packages/bridge/dist/bridge.cjs");
const programPath = (name: string): string => join(import.meta.dirname, "..", "programs", `${name}.mjs`);

/** The bridge with so many tools, its compiled code in a cache of its own. */
export async function prepareManyTools(context: RowContext, count: number): Promise<ServerCommand> {
  const directory = createTemporaryDirectory(context);
  const parent = await startProgram(context, "bridge-parent", { args: [directory, String(count)] });
  const [socketPath = "", schemaPath = ""] = (await readFirstLine(parent)).split(" ");
  return { args: [bundle, socketPath, schemaPath], env: { XDG_CACHE_HOME: fs.mkdtempSync(join(directory, "cache-")) } };
}

/** Builds the bridge where it is older than its sources, and starts the program behind it. */
export async function prepareBridgeServers(context: RowContext): Promise<BridgeServers> {
  const { status, text } = await buildStep.run();
  if (status === "failed") throw new Error(`the build failed:\n${text}`);
  const directory = createTemporaryDirectory(context);
  const parent = await startProgram(context, "bridge-parent", { args: [directory] });
  const [socketPath = "", schemaPath = ""] = (await readFirstLine(parent)).split(" ");
  const echo = await startProgram(context, "echo-bare", { args: [directory] });
  const makeCache = (): string => fs.mkdtempSync(join(directory, "cache-"));
  const bridge = (cache: string): ServerCommand => ({ args: [bundle, socketPath, schemaPath], env: { XDG_CACHE_HOME: cache } });
  return {
    warm: bridge(makeCache()),
    cold: () => bridge(makeCache()),
    relay: { args: [programPath("bridge-relay"), await readFirstLine(echo), schemaPath], env: {} },
    unbridged: { args: [programPath("bridge-unbridged"), schemaPath], env: {} },
    unbridgedCached: { args: [programPath("bridge-unbridged"), schemaPath], env: { NODE_COMPILE_CACHE: makeCache() } },
  };
}
