// The gateway's commands, as help shows them. What they do is loaded when one is run.

import type { Command } from "commander";
import { addExamples } from "../command-parts.ts";
import { programName, readVersion } from "../launcher.ts";
import { printTo } from "../terminal.ts";
import { addApi } from "./api-commands.ts";
import { addCall, addGateway, addRpc, addScan } from "./call-commands.ts";
import { addConfig } from "./config-commands.ts";
import { addOutputOptions, addSelectOptions, addSpecOption, addTargetOptions, answerMistakesInJson } from "./flag-groups.ts";
import { igwGroups, refuseIgwCommand } from "./igw-commands.ts";
import type { OutputFlags } from "./json-output.ts";
import type { DoctorFlags } from "./run-doctor.ts";
import type { SchemaFlags } from "./run-schema.ts";

/** Adds them all, under a heading of their own. */
export function addGatewayCommands(program: Command): void {
  const others = new Set(program.commands);
  addCall(program);
  addRpc(program);
  const api = addApi(program);
  addConfig(program);
  addDoctor(program);
  addGateway(program);
  const scan = addScan(program);
  addExitCodes(program);
  addSchema(program);
  addVersion(program);
  for (const group of igwGroups) addRefusal(program, group);
  for (const name of ["refresh", "capability"]) addRefusal(api, name);
  addRefusal(scan, "config");
  for (const command of program.commands) {
    if (others.has(command)) continue;
    command.helpGroup("Gateway:");
    answerMistakesInJson(command);
  }
}

function addDoctor(program: Command): void {
  const doctor = program
    .command("doctor")
    .summary("check that calls can work")
    .description(
      "Checks address, connection, token and the API document where one is named, one after the other. Changes nothing unless --check-write is given.",
    );
  addOutputOptions(addTargetOptions(addSpecOption(doctor)))
    .option("--path <path>", "what is asked for (default: /data/api/v1/gateway-info, as Ignition has it)")
    .option("--check-write", "also check that the token may change something, by a scan of the projects")
    .action(async (flags: DoctorFlags) => (await import("./run-doctor.ts")).runDoctor(flags));
  addExamples(doctor, [
    "hawser doctor --demo",
    "hawser doctor --profile plant --json",
    "hawser doctor --gateway-url http://127.0.0.1:3000 --path /health",
  ]);
}

function addExitCodes(program: Command): void {
  const command = program
    .command("exit-codes")
    .summary("the exit codes, for scripts")
    .description("Prints the exit codes of the commands for APIs, which scripts may rely on; --help of a command has its own.");
  addSelectOptions(command.option("--json", "print JSON")).action(async (flags: OutputFlags) =>
    (await import("./exit-codes.ts")).runExitCodes(flags),
  );
  addExamples(command, ["hawser exit-codes --json"]);
}

function addSchema(program: Command): void {
  const schema = program
    .command("schema")
    .summary("the commands as JSON")
    .description("Prints commands, options and exit codes as JSON.")
    .argument("[words...]", "only this command, e.g. config profile")
    .option("--command <words>", "the same as an option")
    .option("--json", "changes nothing: it is JSON always");
  addSelectOptions(schema).action(async (words: string[], flags: SchemaFlags, self: Command) =>
    (await import("./run-schema.ts")).runSchema(words, flags, self),
  );
  addExamples(schema, ["hawser schema", 'hawser schema --command "config profile"']);
}

function addVersion(program: Command): void {
  const version = program.command("version").summary("print the version").description("Prints name and version.");
  version.action(() => printTo(process.stdout, `${programName()} version ${readVersion()}\n`));
  addExamples(version, ["hawser version"]);
}

function addRefusal(parent: Command, name: string): void {
  const words = parent.parent ? [parent.name(), name] : [name];
  parent
    .command(name, { hidden: true })
    .argument("[words...]")
    .helpOption(false)
    .allowUnknownOption()
    .action((rest: string[]) => refuseIgwCommand([...words, ...rest]));
}
