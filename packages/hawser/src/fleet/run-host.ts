// `hawser fleet host`: the agent protocol on stdin and stdout, as `hawser agent` speaks it, answered by the runtimes of a fleet.

import { openFleetHost } from "@hawser/fleet/internal";
import { ndjson, runStdio } from "@hawser/wire/node";
import type { FleetFlags } from "./flags.ts";
import { withFleet } from "./with-fleet.ts";

export const runHost = (flags: FleetFlags): Promise<void> =>
  withFleet(flags, "hawser fleet host", async (fleet) => {
    const host = await openFleetHost(fleet);
    await runStdio({ codec: ndjson, serve: host.serve });
  });
