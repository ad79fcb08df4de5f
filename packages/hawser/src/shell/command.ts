// `shell`, as help shows it.

import type { Command } from "commander";
import { addAgentOptions } from "../agent/flags.ts";
import { addCommand, maxPort, parseWhole } from "../command-line/command.ts";
import { addFleetOptions } from "../fleet/flags.ts";
import type { ShellFlags } from "./run.ts";

export function addShell(program: Command): void {
  const shell = addCommand(program, "shell", {
    summary: "the chat page in your browser",
    description:
      "Serves a chat page on this machine only, with an agent behind it that works in the current folder. Prints the page's address, which carries a key for one use, and opens it where there is a browser; Enter prints a new one. Ends with Ctrl-C.",
    examples: ["hawser shell", "hawser shell --model offline --demo", "hawser shell --port 8400 --no-open --root ~/project"],
  });
  addFleetOptions(addAgentOptions(shell), "the runtimes of a fleet at these servers answer, instead of one on this machine")
    .option("--port <n>", "where to listen; 0 for any free port (default: 0)", parseWhole(0, maxPort))
    .option("--no-open", "do not open a browser")
    .option("--demo", "with a demo API of its own, whose operations are tools")
    .action(async (flags: ShellFlags) => (await import("./run.ts")).runShell(flags));
}
