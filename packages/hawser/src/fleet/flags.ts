// The flags that lead to a fleet's servers, the same on every command that can use one.

import { Option, type Command } from "commander";
import { HawserError } from "@hawser/protocol";
import { toFlag } from "../command-line/command.ts";

export const defaultPort = 4_222;
export const defaultServers = `nats://127.0.0.1:${defaultPort}`;

export interface FleetFlags {
  /** The servers. */
  readonly fleet?: string;
  readonly fleetCredentials?: string;
  readonly fleetCa?: string;
  readonly fleetCert?: string;
  readonly fleetKey?: string;
}

/** `usual`: what `--fleet` alone means, where it may stand alone. */
export function addFleetOptions(command: Command, purpose = `the servers (default: ${defaultServers})`, usual?: string): Command {
  const servers = usual === undefined ? new Option("--fleet <servers>", purpose) : new Option("--fleet [servers]", purpose).preset(usual);
  return command
    .addOption(servers)
    .option("--fleet-credentials <file>", "NATS credentials, or one line user:password; only its owner may read it")
    .option("--fleet-ca <file>", "who signs the servers' certificates")
    .option("--fleet-cert <file>", "our certificate, with --fleet-key")
    .option("--fleet-key <file>", "its key");
}

/** Throws `usage` for options about a fleet where none is named: they would be ignored. */
export function checkFleetFlags(flags: FleetFlags): void {
  if (flags.fleet !== undefined) return;
  const alone = Object.keys(flags).find((name) => name.startsWith("fleet"));
  if (alone !== undefined) throw new HawserError("usage", `${toFlag(alone)} needs --fleet <servers>`);
}

/** The flags as they were written. */
export const toFleetFlags = ({ fleet, fleetCredentials, fleetCa, fleetCert, fleetKey }: FleetFlags): string[] =>
  Object.entries({ fleet, fleetCredentials, fleetCa, fleetCert, fleetKey }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${toFlag(name)}=${value}`],
  );
