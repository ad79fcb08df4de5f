// A connection to a fleet for as long as some work takes.

import { connectFleet, type Fleet } from "@hawser/fleet/internal";
import { defaultServers, type FleetFlags } from "./flags.ts";

/** `name`: what the servers call this connection. Throws as `connectFleet` does. */
export async function withFleet<Result>(flags: FleetFlags, name: string, action: (fleet: Fleet) => Promise<Result>): Promise<Result> {
  const { fleet: servers = defaultServers, fleetCredentials: credentials, fleetCa: ca, fleetCert: cert, fleetKey: key } = flags;
  const fleet = await connectFleet({ servers, credentials, ca, cert, key }, name);
  try {
    return await action(fleet);
  } finally {
    await fleet.close();
  }
}
