// `completion`, as help shows it, and the hidden `complete` that its scripts ask.

import { Argument, type Command } from "commander";
import { addCommand } from "../command-line/command.ts";

/** `createBare` makes the same program without these two commands, since the library adds its own. */
export function addCompletion(program: Command, createBare: () => Promise<Command>): void {
  addCommand(program, "completion", {
    summary: "complete commands in your shell",
    description: "Prints a script for your shell that completes commands, options, profiles, suites and operation ids.",
    examples: ["hawser completion bash >> ~/.bashrc", "hawser completion fish | source"],
  })
    .addArgument(new Argument("<shell>", "which shell").choices(["bash", "zsh", "fish"]))
    .action(async (shell: string) => (await import("./run.ts")).runCompletion(shell, createBare));
  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .action(async (words: string[]) => (await import("./run.ts")).runComplete(words, createBare));
}
