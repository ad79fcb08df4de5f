// `doctor`, as help shows it.

import type { Command } from "commander";
import { addOutputOptions, addSpecOption, addTargetOptions } from "../api-target/flags.ts";
import { addCommand } from "../command-line/command.ts";
import type { DoctorFlags } from "./run.ts";

export function addDoctor(program: Command): void {
  const doctor = addCommand(program, "doctor", {
    summary: "check that calls can work",
    description:
      "Checks address, connection, token and the API document where one is named, one after the other. Changes nothing unless --check-write is given.",
    examples: [
      "hawser doctor --demo",
      "hawser doctor --profile plant --json",
      "hawser doctor --gateway-url http://127.0.0.1:3000 --path /health",
    ],
  });
  addOutputOptions(addTargetOptions(addSpecOption(doctor)))
    .option("--path <path>", "what is asked for (default: /data/api/v1/gateway-info, as Ignition has it)")
    .option("--check-write", "also check that the token may change something, by a scan of the projects")
    .action(async (flags: DoctorFlags) => (await import("./run.ts")).runDoctor(flags));
}
