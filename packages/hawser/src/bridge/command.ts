// `bridge`, as help shows it: the bridge process under the name of this program, for builds that are one file.

import { Option, type Command } from "commander";
import { bridgeLimits } from "@hawser/bridge/internal/limits";
import type { AskedBridgeOptions } from "@hawser/bridge/internal/process";
import { describeThrown } from "@hawser/protocol";
import { wireLimits } from "@hawser/wire";
import { addCommand, exitWith, parseWhole } from "../command-line/command.ts";
import { readVersion } from "../command-line/launcher.ts";
import { addFleetOptions } from "../fleet/flags.ts";
import type { FleetBridgeFlags } from "./run-fleet.ts";

const maxConnections = 1_024;
// The contract of the bridge wants 1 here, where the other commands have 2.
const usageExitCode = 1;

type GivenOptions = Omit<AskedBridgeOptions, "socketPath" | "schemaPath"> & FleetBridgeFlags;

export function addBridge(program: Command): void {
  const bridge: Command = addCommand(program, "bridge", {
    summary: "the MCP server that clients start",
    description:
      "An MCP server on stdin and stdout whose tools run in the program that owns the socket. MCP clients start it, with the configuration that this program gives them; people don't, except with --check.",
    notes: exitCodes,
    examples: ["hawser bridge --check <socket_path> <schema_path>", "hawser bridge --fleet nats://127.0.0.1:4222 --service plant --check"],
  })
    .usage("[options] <socket_path> <schema_path>")
    .argument("[socket_path]", "the socket of the program")
    .argument("[schema_path]", "the file with the schemas of its tools")
    .option(
      "--connections <n>",
      `parallel calls, each on a connection of its own, 1 to ${maxConnections} (default: ${bridgeLimits.bridgeConnections})`,
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
      `larger results go to a file, with a preview and a link (default: ${bridgeLimits.maxResultBytes})`,
      parseWhole(1, wireLimits.maxMessageBytes),
    )
    .option("--follow", "the program may restart: read the schema file again when it is another one, and tell the client")
    .option("--check", "connect, say hello, report, and exit")
    .option("--service <name>", "with --fleet: the name under which the tools are offered")
    .action(async (socketPath: string | undefined, schemaPath: string | undefined, given: GivenOptions) => {
      if (given.fleet !== undefined) {
        if (socketPath !== undefined) bridge.error("error: --fleet takes the place of the two paths; leave them out");
        return (await import("./run-fleet.ts")).runFleetBridge(given, readVersion());
      }
      if (socketPath === undefined || schemaPath === undefined)
        bridge.error(`error: missing required argument '${socketPath === undefined ? "socket_path" : "schema_path"}'`);
      const { runBridge, toBridgeOptions } = await import("@hawser/bridge/internal/process");
      let options: ReturnType<typeof toBridgeOptions>;
      try {
        options = toBridgeOptions({ ...given, socketPath, schemaPath });
      } catch (error) {
        // What one option alone can't show is a mistake in the arguments too.
        bridge.error(describeThrown(error));
      }
      await runBridge(options, readVersion());
    });
  addFleetOptions(bridge, "the tools run on other machines: the NATS servers, e.g. nats://127.0.0.1:4222");
  exitWith(bridge, usageExitCode);
}

const exitCodes = `
Exit codes:
  0    the client closed its input or sent SIGTERM; --check: it would work
  1    a mistake in the arguments
  2    the schema file can't be used; --check: the program does not answer
  143  ended at once by a second signal`;
