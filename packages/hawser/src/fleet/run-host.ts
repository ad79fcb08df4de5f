// `hawser fleet host`: the agent protocol on stdin and stdout, as `hawser agent` speaks it, answered by the runtimes of a fleet.

import { connectFleet, openFleetHost } from "@hawser/fleet/internal";
import { ndjson, runStdio } from "@hawser/wire/node";
import { defaultServers } from "./command.ts";
import { toFleetAddress, type FleetFlags } from "./flags.ts";

export async function runHost(flags: FleetFlags): Promise<void> {
  const fleet = await connectFleet(toFleetAddress(flags.fleet ?? defaultServers, flags), "hawser fleet host");
  try {
    const host = await openFleetHost(fleet);
    return await runStdio({ codec: ndjson, serve: host.serve });
  } finally {
    await fleet.close();
  }
}
