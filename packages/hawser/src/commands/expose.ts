// `hawser expose`: offers the tools that a module exports to MCP clients. Prints the configuration of
// a client and serves until it is told to stop, or runs a client's command with it and ends with it.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createIPCSession, isTool, printClientConfig, toClientCommand, type ClientName, type IPCSession } from "@hawser/bridge";
import { describeThrown, HawserError } from "@hawser/wire";
import { onProcessEnd } from "@hawser/wire/node";

export interface ExposeOptions {
  readonly name?: string;
  readonly print?: ClientName;
}

export async function runExpose(modulePath: string, command: readonly string[], options: ExposeOptions): Promise<void> {
  const tools = await loadTools(modulePath);
  const serverName = options.name ?? defaultName(modulePath);
  const session = createIPCSession(tools);
  await session.start();
  try {
    if (command.length > 0) process.exitCode = await runWith(session, serverName, command);
    else await serve(session, serverName, Object.keys(tools).length, options.print);
  } finally {
    await session.stop();
  }
}

/** Every exported tool by its own name, or by its export's where it has none; lists and records of tools too. */
async function loadTools(modulePath: string): Promise<Record<string, unknown>> {
  let module: Record<string, unknown>;
  try {
    module = (await import(pathToFileURL(resolve(modulePath)).href)) as Record<string, unknown>;
  } catch (cause) {
    throw new HawserError("usage", `can't load ${modulePath}: ${describeThrown(cause)}`, { cause });
  }
  const tools: Record<string, unknown> = {};
  const add = (exportName: string, value: unknown): void => {
    if (isTool(value)) tools[(value as { name?: string }).name ?? exportName] = value;
    else if (Array.isArray(value)) value.forEach((item: unknown, index) => add(`${exportName}_${index}`, item));
    else if (isPlainRecord(value)) for (const [name, item] of Object.entries(value)) if (isTool(item)) add(name, item);
  };
  for (const [exportName, value] of Object.entries(module)) add(exportName, value);
  if (Object.keys(tools).length === 0) {
    throw new HawserError("usage", `${modulePath} exports no tool; export values made by defineTool({ name, description, input, run })`);
  }
  return tools;
}

async function serve(session: IPCSession, serverName: string, toolCount: number, client: ClientName = "json"): Promise<void> {
  process.stdout.write(printClientConfig(client, serverName, session.mcpServerConfig));
  process.stderr.write(`${toolCount} tools of this process are offered as "${serverName}" until Ctrl-C\n`);
  await new Promise<void>((end) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => end());
  });
}

/** Runs the client's command with the server added; its exit code is ours. */
async function runWith(session: IPCSession, serverName: string, [program = "", ...args]: readonly string[]): Promise<number> {
  const addition = toClientCommand(program, serverName, session.mcpServerConfig);
  const file = writeConfigFile(addition?.file ?? printClientConfig("claude", serverName, session.mcpServerConfig));
  const filled = args.map((arg) => arg.replaceAll("{config}", file.path));
  const env = Object.fromEntries(Object.entries(addition?.env ?? {}).map(([name, value]) => [name, value.replaceAll("{file}", file.path)]));
  if (!addition && filled.every((arg, index) => arg === args[index])) {
    process.stderr.write(
      `${basename(program)} is not a client that hawser knows; its arguments may use {config}, the path of an mcpServers file\n`,
    );
  }
  try {
    return await runCommand(program, [...filled, ...(addition?.args ?? [])], { ...process.env, HAWSER_MCP_CONFIG: file.path, ...env });
  } finally {
    file.remove();
  }
}

function writeConfigFile(content: string): { path: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), "hawser-expose-"));
  const path = join(directory, "mcp.json");
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  const release = onProcessEnd(remove);
  writeFileSync(path, content, { mode: 0o600 });
  return {
    path,
    remove() {
      release();
      remove();
    },
  };
}

function runCommand(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { stdio: "inherit", env });
    // The terminal sends Ctrl-C to both of us; the command decides what it means.
    const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
    const ignore = (): void => {};
    process.on("SIGINT", ignore).on("SIGTERM", forward).on("SIGHUP", forward);
    child.once("error", (cause) => fail(new HawserError("usage", `can't run ${program}: ${cause.message}`, { cause })));
    child.once("exit", (code, signal) => {
      process.off("SIGINT", ignore).off("SIGTERM", forward).off("SIGHUP", forward);
      done(code ?? (signal ? 1 : 0));
    });
  });
}

function defaultName(modulePath: string): string {
  const name = basename(modulePath, extname(modulePath))
    .replaceAll(/[^A-Za-z0-9_-]/g, "_")
    .slice(0, 64);
  return name || "tools";
}

const isPlainRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
