// `doctor`, as help shows it.

import type { Command } from "commander";
import { addOutputOptions, addSpecOption, addTargetOptions } from "../api-target/flags.ts";
import { addCommand } from "../command-line/command.ts";
import { addFleetOptions, checkFleetFlags, defaultServers } from "../fleet/flags.ts";
import type { FleetDoctorFlags } from "./run-fleet.ts";
import type { DoctorFlags } from "./run.ts";

export function addDoctor(program: Command): void {
  const doctor = addCommand(program, "doctor", {
    summary: "check that calls can work",
    description:
      "Checks address, connection, token and the API document where one is named, one after the other. Changes nothing unless --check-write is given. With --fleet it checks the NATS servers of a fleet instead, and says what their settings let it promise.",
    examples: [
      "hawser doctor --demo",
      "hawser doctor --profile plant --json",
      "hawser doctor --gateway-url http://127.0.0.1:3000 --path /health",
      "hawser doctor --fleet",
      "hawser doctor --fleet nats://192.168.1.5:4222",
    ],
  });
  addFleetOptions(
    addOutputOptions(addTargetOptions(addSpecOption(doctor))),
    `check the servers of a fleet instead of an API (default: ${defaultServers})`,
    defaultServers,
  )
    .option("--fleet-monitor <urls>", "where the fleet's servers report about themselves (default: their port + 4000, as 8222 for 4222)")
    .option("--path <path>", "what is asked for (default: /data/api/v1/gateway-info, as Ignition has it)")
    .option("--check-write", "also check that the token may change something, by a scan of the projects")
    .action(async (flags: DoctorFlags & FleetDoctorFlags) => {
      if (flags.fleet !== undefined) return (await import("./run-fleet.ts")).runFleetDoctor(flags.fleet, flags);
      checkFleetFlags(flags);
      return (await import("./run.ts")).runDoctor(flags);
    });
}
