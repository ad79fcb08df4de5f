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
    notes: exitCodeHelp,
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

const exitCodeHelp = `
What they mean:
  0    ok: done, or it holds
  1    invalid: api validate, conform and tour looked, and it does not hold;
       every command: a defect, or output that can't be written (see stderr)
  2    usage: a mistake in the arguments, the items or the configuration
  6    auth: 401 or 403
  7    network: no connection, a timeout, every other HTTP failure, a body that
       was cut; of chat: the agent or its model failed
  8    denied: chat has answered, but a tool was not allowed to run
  130  interrupted: Ctrl-C
  143  terminated: SIGTERM
  bridge, which MCP clients start, has codes of its own: see bridge --help.`;
