// `completion`: a script that makes a shell complete commands, options and what they take, and the hidden
// command that the script asks. Both look at the program itself; nothing of it is loaded until then.

import type { Command } from "commander";
import { addExamples } from "./command-parts.ts";
import { programName } from "./launcher.ts";
import { watchOutput } from "./output-watch.ts";
import { printTo } from "./terminal.ts";

const shells = ["bash", "zsh", "fish"];

/** `createBare` makes the same program without these two commands, since the library adds its own. */
export function addCompletion(program: Command, createBare: () => Command): void {
  const loadCompletions = async () => {
    const { default: tab } = await import("@bomb.sh/tab/commander");
    const bare = createBare();
    describeBriefly(bare);
    // In a checkout the program calls itself `npx hawser`, which no shell completes.
    return tab(bare.name(programName()), { completionCommandName: "completion" });
  };
  const completion = program
    .command("completion")
    .summary("complete commands in your shell")
    .description("Prints a script for your shell that completes commands, options, profiles, suites and operation ids.");
  completion.addArgument(completion.createArgument("<shell>", "which shell").choices(shells)).action(async (shell: string) => {
    if (shell === "bash") return printTo(process.stdout, (await import("./bash-completion.ts")).toBashScript(programName()));
    // The library prints by itself.
    watchOutput(process.stdout);
    (await loadCompletions()).setup(programName(), programName(), shell);
  });
  addExamples(completion, ["hawser completion bash >> ~/.bashrc", "hawser completion fish | source"]);
  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .action(async (words: string[]) => {
      watchOutput(process.stdout);
      const completions = await loadCompletions();
      await (await import("./completion-values.ts")).offerValues(completions, words);
      completions.parse(words);
    });
}

/** Shells show one line for each command. */
function describeBriefly(command: Command): void {
  command.description(command.summary() || command.description());
  for (const below of command.commands) describeBriefly(below);
}
