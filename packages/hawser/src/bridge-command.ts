// `hawser bridge`: the bridge process under the name of this program, for builds that are one file. Defines its
// options as help and mistakes show them; the process reads its own command line, so it is given what was
// understood here in its words.

import { Option, type Command } from "commander";
import { limits } from "@hawser/wire";
import { addExamples, exitWith, parseWhole } from "./command-parts.ts";
import { readVersion } from "./launcher.ts";

const maxConnections = 1_024;
// The contract of the bridge wants 1 here, where the other commands have 2.
const usageExitCode = 1;

interface BridgeOptions {
  readonly connections?: number;
  readonly reconnect?: "lazy" | "never";
  readonly maxResultBytes?: number;
  readonly follow?: true;
  readonly check?: true;
}

export function addBridge(program: Command): void {
  const bridge = program
    .command("bridge")
    .summary("the MCP server that clients start")
    .description(
      "An MCP server on stdin and stdout whose tools run in the program that owns the socket. MCP clients start it, with the configuration that this program gives them; people don't, except with --check.",
    )
    .argument("<socket_path>", "the socket of the program")
    .argument("<schema_path>", "the file with the schemas of its tools")
    .option(
      "--connections <n>",
      `parallel calls, each on a connection of its own, 1 to ${maxConnections} (default: ${limits.bridgeConnections})`,
      parseWhole(1, maxConnections),
    )
    .addOption(
      new Option(
        "--reconnect <when>",
        "after a lost connection: the next call opens a new one, or all further calls fail (default: lazy)",
      ).choices(["lazy", "never"]),
    )
    .option(
      "--max-result-bytes <n>",
      `larger results go to a file, with a preview and a link (default: ${limits.maxResultBytes})`,
      parseWhole(1, limits.maxMessageBytes),
    )
    .option("--follow", "the program may restart: read the schema file again when it is another one, and tell the client")
    .option("--check", "connect, say hello, report, and exit")
    .addHelpText("after", exitCodes)
    .action(async (socketPath: string, schemaPath: string, options: BridgeOptions) =>
      (await import("@hawser/bridge/process")).runBridge([...toArguments(options), "--", socketPath, schemaPath], readVersion()),
    );
  exitWith(bridge, usageExitCode);
  addExamples(bridge, ["hawser bridge --check <socket_path> <schema_path>"]);
}

const exitCodes = `
Exit codes:
  0    the client closed its input or sent SIGTERM; --check: it would work
  1    a mistake in the arguments
  2    the schema file can't be used; --check: the program does not answer
  143  ended at once by a second signal`;

function toArguments({ connections, reconnect, maxResultBytes, follow, check }: BridgeOptions): string[] {
  return [
    ...(connections === undefined ? [] : ["--connections", String(connections)]),
    ...(reconnect === undefined ? [] : ["--reconnect", reconnect]),
    ...(maxResultBytes === undefined ? [] : ["--max-result-bytes", String(maxResultBytes)]),
    ...(follow ? ["--follow"] : []),
    ...(check ? ["--check"] : []),
  ];
}
