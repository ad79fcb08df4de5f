// `hawser expose`: offers the tools that a module exports to MCP clients, until it is told to stop or the client's command
// that it runs ends. stdout holds the configuration, or what the command prints: what the module prints goes to stderr.

import { createIPCSession, printClientConfig, type ClientName, type IPCSession } from "@hawser/bridge";
import { describeThrown, HawserError, revealProse } from "@hawser/protocol/internal";
import { whenAborted, wireLimits } from "@hawser/wire/internal";
import { guardStdout, logLine, runUntilStopped, type StdoutGuard } from "@hawser/wire/internal/node";
import { reportFailure } from "../command-line/failure.ts";
import { isUnread } from "../command-line/output.ts";
import { checkFleetFlags, type FleetFlags } from "../fleet/flags.ts";
import { loadTools, toServerName } from "./load-tools.ts";
import { runClient } from "./run-client.ts";

export interface ExposeOptions extends FleetFlags {
  readonly name?: string;
  readonly address?: string;
  readonly print?: ClientName;
}

/** Ends the process: the module may have opened what would keep it alive. */
export async function runExpose(modulePath: string, command: readonly string[], options: ExposeOptions): Promise<never> {
  const exitCode = await expose(modulePath, command, options).catch(reportFailure);
  await flushStderr();
  process.exit(exitCode);
}

async function expose(modulePath: string, [program, ...args]: readonly string[], options: ExposeOptions): Promise<number> {
  const { name, address, print } = options;
  checkFleetFlags(options);
  if (options.fleet !== undefined && (program !== undefined || address !== undefined || print !== undefined))
    throw new HawserError(
      "usage",
      "--fleet offers the tools to other machines; a command, --address and --print are for clients on this one",
    );
  if (program !== undefined && print !== undefined)
    throw new HawserError("usage", "--print is for a client that you start yourself; leave it out, or the command");
  // Now: the program that started us may be gone before we serve.
  const parent = process.ppid;
  const guard = guardStdout();
  const tools = await loadTools(modulePath);
  const serverName = name ?? toServerName(modulePath);
  const warn = (): void => Object.entries(tools).forEach(([toolName, tool]) => warnIfUndescribed(toolName, tool));
  if (options.fleet !== undefined) {
    warn();
    return (await import("./run-fleet.ts")).offerToFleet(options, { service: serverName, tools, parent });
  }
  // A client that is started for these tools should show them to its model at once, not let it search for them.
  const session = createIPCSession(tools, { alwaysLoad: program !== undefined, ...(address !== undefined && { name: address }) });
  warn();
  try {
    await session.start();
    if (program !== undefined) return await runClient(session, serverName, [program, ...args]);
    return await runUntilStopped(async ({ stopping }) => {
      await printConfig(guard, session, serverName, print ?? "json");
      logLine(describe(Object.keys(tools), serverName, print ?? "json"));
      if (address !== undefined) logLine(`hawser: the configuration stays valid for every run with --address ${address}`);
      await whenAborted(stopping);
      return 0;
    }, parent);
  } finally {
    await session.stop();
  }
}

/** Clients take a tool without a description, and then their model does not call it. */
function warnIfUndescribed(name: string, tool: unknown): void {
  const { description } = tool as { description?: unknown };
  if (typeof description === "string" && description.trim() !== "") return;
  logLine(`hawser: tool "${name}" has no description; say what it does, or no model knows when to call it`);
}

function printConfig(guard: StdoutGuard, { mcpServerConfig }: IPCSession, serverName: string, client: ClientName): Promise<void> {
  // The callback tells it too, but without a listener an error ends the process.
  process.stdout.on("error", () => {});
  const text = printClientConfig(client, serverName, mcpServerConfig);
  const shown = process.stdout.isTTY ? revealProse(text) : text;
  return new Promise((resolve, reject) => {
    guard.write(Buffer.from(shown), (error) => {
      // There may be no reader, or one of the first line only; it goes on serving then.
      if (!error || isUnread(error)) resolve();
      else reject(new HawserError("internal", `can't write the output: ${describeThrown(error)}`, { cause: error }));
    });
  });
}

const destinations: Readonly<Record<ClientName, string>> = {
  claude: "for `claude --mcp-config=<file>` or a project's .mcp.json",
  codex: "for ~/.codex/config.toml",
  gemini: "for .gemini/settings.json",
  opencode: "for opencode.json",
  json: "how to start the MCP server; --print claude, codex, gemini or opencode says it in a client's words",
};

function describe(toolNames: readonly string[], serverName: string, client: ClientName): string {
  const shown = toolNames.slice(0, 10).join(", ");
  const more = toolNames.length > 10 ? ` and ${toolNames.length - 10} more` : "";
  return `hawser: printed ${destinations[client]}\nhawser: offers ${shown}${more} as "${serverName}" until Ctrl-C`;
}

/** Waits for the last words, but not for a reader that never reads. */
function flushStderr(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, wireLimits.closeFlushMs);
    process.stderr.write("", () => resolve());
  });
}
