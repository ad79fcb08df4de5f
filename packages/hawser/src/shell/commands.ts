// `shell`, as help shows it. What it does is loaded when it is run.

import type { Command } from "commander";
import { addAgentOptions } from "../agent/commands.ts";
import { addExamples, parseWhole } from "../command-parts.ts";
import type { ShellFlags } from "./run-shell.ts";

const maxPort = 65_535;

export function addShellCommand(program: Command): void {
  const shell = program
    .command("shell")
    .summary("the chat page in your browser")
    .description(
      "Serves a chat page on this machine only, with an agent behind it that works in the current folder. Prints the page's address, which carries a key for one use, and opens it where there is a browser; Enter prints a new one. Ends with Ctrl-C.",
    );
  addAgentOptions(shell)
    .option("--port <n>", "where to listen; 0 for any free port (default: 0)", parseWhole(0, maxPort))
    .option("--no-open", "do not open a browser")
    .option("--demo", "with a demo API of its own, whose operations are tools")
    .action(async (flags: ShellFlags) => (await import("./run-shell.ts")).runShell(flags));
  addExamples(shell, ["hawser shell", "hawser shell --model offline --demo", "hawser shell --port 8400 --no-open --root ~/project"]);
}
