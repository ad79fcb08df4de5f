// `hawser expose --fleet`: offers the tools of a module to other machines, until it is told to stop. What runs then is finished.

import { hostname } from "node:os";
import { connectFleet, offerTools } from "@hawser/fleet/internal";
import type { ToolSource } from "@hawser/tools";
import { logLine, runUntilStopped } from "@hawser/wire/internal/node";
import { readVersion } from "../command-line/launcher.ts";
import { toFleetAddress, type FleetFlags } from "../fleet/flags.ts";
import { serveUntilTold } from "../fleet/serve-until-told.ts";

interface Offer {
  readonly service: string;
  readonly tools: ToolSource;
  /** The process that started us. */
  readonly parent: number;
}

export function offerToFleet(servers: string, flags: FleetFlags, { service, tools, parent }: Offer): Promise<number> {
  return runUntilStopped(async ({ stopping }) => {
    const fleet = await connectFleet(toFleetAddress(servers, flags), `hawser expose ${service}`);
    try {
      const offered = await offerTools(fleet, { service, tools, version: readVersion(), machine: hostname() });
      logLine(`hawser: offers ${offered.names.join(", ")} as "${service}" at ${fleet.servers} until Ctrl-C`);
      await serveUntilTold(fleet, stopping, offered);
    } finally {
      await fleet.close();
    }
    return 0;
  }, parent);
}
