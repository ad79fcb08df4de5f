// `hawser expose --fleet`: offers the tools of a module to other machines, until it is told to stop. What runs then is finished.

import { hostname } from "node:os";
import { offerTools } from "@hawser/fleet/internal";
import type { ToolSource } from "@hawser/tools";
import { logLine, runUntilStopped } from "@hawser/wire/internal/node";
import { readVersion } from "../command-line/launcher.ts";
import type { FleetFlags } from "../fleet/flags.ts";
import { serveUntilTold } from "../fleet/serve-until-told.ts";
import { withFleet } from "../fleet/with-fleet.ts";

interface Offer {
  readonly service: string;
  readonly tools: ToolSource;
  /** The process that started us. */
  readonly parent: number;
}

export function offerToFleet(flags: FleetFlags, { service, tools, parent }: Offer): Promise<number> {
  return runUntilStopped(async ({ stopping }) => {
    await withFleet(flags, `hawser expose ${service}`, async (fleet) => {
      const offered = await offerTools(fleet, { service, tools, version: readVersion(), machine: hostname() });
      logLine(`hawser: offers ${offered.names.join(", ")} as "${service}" at ${fleet.servers} until Ctrl-C`);
      await serveUntilTold(fleet, stopping, offered);
    });
    return 0;
  }, parent);
}
