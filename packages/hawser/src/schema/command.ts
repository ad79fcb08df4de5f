// `exit-codes`, `schema` and `version`, as help shows them: what a program can ask about this one.

import type { Command } from "commander";
import { addSelectOptions } from "../api-target/flags.ts";
import type { OutputFlags } from "../api-target/json-output.ts";
import { addCommand } from "../command-line/command.ts";
import { printTo } from "../command-line/output.ts";
import { programName, readVersion } from "../command-line/launcher.ts";
import type { SchemaFlags } from "./run.ts";

export function addSchema(program: Command): void {
  const exitCodes = addCommand(program, "exit-codes", {
    summary: "the exit codes, for scripts",
    description:
      "Prints the exit codes that scripts may rely on: those of the commands for APIs, and 8 of chat. --help of a command explains its own.",
    examples: ["hawser exit-codes --json"],
  });
  addSelectOptions(exitCodes.option("--json", "print JSON")).action(async (flags: OutputFlags) =>
    (await import("./run.ts")).runExitCodes(flags),
  );
  const schema = addCommand(program, "schema", {
    summary: "the commands as JSON",
    description: "Prints commands, options and exit codes as JSON.",
    examples: ["hawser schema", 'hawser schema --command "config profile"'],
  })
    .argument("[words...]", "only this command, e.g. config profile")
    .option("--command <words>", "the same as an option")
    .option("--json", "changes nothing: it is JSON always");
  addSelectOptions(schema).action(async (words: string[], flags: SchemaFlags, self: Command) =>
    (await import("./run.ts")).runSchema(words, flags, self),
  );
  addCommand(program, "version", {
    summary: "print the version",
    description: "Prints name and version.",
    examples: ["hawser version"],
  }).action(() => printTo(process.stdout, `${programName()} version ${readVersion()}\n`));
}
