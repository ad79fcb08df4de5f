// `hawser agent --fleet`: a runtime for the hosts of a fleet, with its conversations on the fleet's servers, until it is told to stop.
// What runs then has its time; its conversations are let go at once for the next runtime.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { createLogStore, guardProcessFromTools, serveAgent } from "@hawser/agent/internal";
import { fleetLimits, openFleetRuntime, type Fleet } from "@hawser/fleet/internal";
import { HawserError } from "@hawser/protocol";
import { logLine, runUntilStopped, type LifecycleControl } from "@hawser/wire/internal/node";
import { readVersion } from "../command-line/launcher.ts";
import { withFleet } from "../fleet/with-fleet.ts";
import { composeAgent } from "./compose-agent.ts";
import type { AgentFlags } from "./flags.ts";
import { keepMemorySmall } from "./small-memory.ts";

export async function runFleetAgent(flags: AgentFlags): Promise<void> {
  if (flags.history === false) throw new HawserError("usage", "--fleet keeps conversations on the fleet's servers; leave out --no-history");
  if (flags.debugProtocol) throw new HawserError("usage", "--debug-protocol shows one host's lines; with --fleet give it to the host");
  await runUntilStopped((lifecycle) => withFleet(flags, "hawser agent", (fleet) => serve(fleet, flags, lifecycle)));
}

async function serve(fleet: Fleet, flags: AgentFlags, lifecycle: LifecycleControl): Promise<void> {
  const onNotice = (message: string): void => logLine(`[hawser] history: ${message}`);
  const runtime = await openFleetRuntime(fleet, {
    id: randomUUID(),
    machine: hostname(),
    version: readVersion(),
    toStore: (logs, onInterrupted) => createLogStore({ logs, onNotice, onInterrupted }),
  });
  const agent = await composeAgent(flags, { env: process.env, cwd: process.cwd() }, runtime.store);
  guardProcessFromTools();
  keepMemorySmall();
  void runtime.drained.then(() => lifecycle.end("signal", fleetLimits.fleetDrainMs));
  void fleet.connection.closed().then(() => lifecycle.end("output-closed", 0));
  const serving = serveAgent(runtime.transport, agent.parts, { lifecycle });
  await runtime.begin(lifecycle.stopping);
  agent.warmUp();
  logLine(`hawser: serves conversations at ${fleet.servers} until Ctrl-C`);
  await Promise.race([serving, lifecycle.overdue]);
  await runtime.close();
  await agent.close();
}
