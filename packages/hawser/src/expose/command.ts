// `expose`, as help shows it.

import { Option, type Command } from "commander";
import { addCommand } from "../command-line/command.ts";
import { addFleetOptions } from "../fleet/flags.ts";
import type { ExposeOptions } from "./run.ts";

export function addExpose(program: Command): void {
  const expose = addCommand(program, "expose", {
    summary: "offer functions to MCP clients",
    description:
      "Offers the tools that a module exports. With a command: runs it with the tools added, ends with it and returns its exit code. Without: prints the configuration for a client and serves until Ctrl-C, SIGTERM or the end of the program that started it.",
    examples: [
      "hawser expose tools.ts -- claude",
      "hawser expose tools.ts --name harbour -- codex",
      "hawser expose tools.ts -- mcp-inspector --cli --config {config}",
      "hawser expose tools.ts --print codex",
      "hawser expose tools.ts --fleet nats://127.0.0.1:4222 --name plant",
    ],
  });
  addFleetOptions(expose, "offer the tools to other machines: the NATS servers, e.g. nats://127.0.0.1:4222")
    .usage("[options] <module> [-- <command...>]")
    .argument("<module>", "a .ts or .js file that exports tools: made by defineTool, of the AI SDK or the Agent SDK, or lists of them")
    .argument(
      "[command...]",
      "after --: claude, codex, gemini or opencode with its arguments; or any other program, with {config} where the path of an mcpServers file belongs",
    )
    .option("--name <name>", "the server's name in the client (default: the module's)")
    .option("--address <name>", "a fixed address: what is printed stays valid over restarts, and clients learn of new tools")
    .addOption(
      new Option("--print <client>", "whose configuration to print (default: json, how to start the server)").choices([
        "claude",
        "codex",
        "gemini",
        "opencode",
        "json",
      ]),
    )
    .action(async (module: string, command: string[], options: ExposeOptions) =>
      (await import("./run.ts")).runExpose(module, command, options),
    );
}
