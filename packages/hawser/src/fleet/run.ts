// `hawser fleet`: `up` runs a server of its own until it is told to stop; `status` and `drain` ask the one that runs.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectFleet, drainSubject, findServer, findServices, startServer, type Fleet, type FoundService } from "@hawser/fleet/internal";
import { HawserError } from "@hawser/protocol/internal";
import { whenAborted } from "@hawser/wire/internal";
import { makeFolder, runUntilStopped, userFolder } from "@hawser/wire/internal/node";
import { fitLine, printStyled, printTo } from "../command-line/output.ts";
import { defaultServers } from "./command.ts";
import { toFleetAddress, type FleetFlags } from "./flags.ts";

export interface UpFlags {
  readonly port?: number;
}

export interface StatusFlags extends FleetFlags {
  readonly json?: boolean;
  readonly once?: boolean;
}

export type DrainFlags = FleetFlags;

const notify = (text: string): void => printTo(process.stderr, `hawser: ${text}\n`);

export const runUp = (port: number): Promise<void> =>
  runUntilStopped(async ({ stopping }) => {
    notify("looking for nats-server; the first time it may have to be fetched, 7 MB");
    const program = await findServer();
    // What its streams hold stays, as a server's data does.
    const folder = join(userFolder("data", process.env), "hawser", "fleet", String(port));
    await makeFolder(folder);
    const server = await startServer({ program, folder, port });
    try {
      printTo(process.stdout, `${server.address}\n`);
      notify(`a NATS server runs at the address above, for this machine only; its data is in ${folder}. Ctrl-C ends it`);
      const ended = await Promise.race([server.exited, whenAborted(stopping)]);
      if (ended) throw new HawserError("start_failed", "the NATS server ended by itself");
    } finally {
      await server.stop();
    }
  });

const refreshMs = 2_000;
const clearScreen = "\u001b[H\u001b[2J";

export const runStatus = (flags: StatusFlags): Promise<void> =>
  runUntilStopped(({ stopping }) =>
    withFleet(flags, async (fleet) => {
      const isWatched = process.stdout.isTTY && !flags.json && !flags.once;
      for (;;) {
        const services = await findServices(fleet);
        if (flags.json) printTo(process.stdout, `${JSON.stringify({ servers: fleet.servers, services })}\n`);
        else printStyled(process.stdout, `${isWatched ? clearScreen : ""}${toTable(services)}`);
        if (!isWatched) return;
        await sleep(refreshMs, undefined, { signal: stopping }).catch(() => {});
        if (stopping.aborted) return;
      }
    }),
  );

export const runDrain = (name: string, flags: DrainFlags): Promise<void> =>
  withFleet(flags, async (fleet) => {
    const meant = (await findServices(fleet)).filter((service) => service.name === name || service.id === name);
    if (meant.length === 0)
      throw new HawserError("usage", `no machine of the fleet is called ${JSON.stringify(name)}; see: hawser fleet status`);
    fleet.say(drainSubject, name);
    await fleet.connection.flush();
    notify(`${meant.length} ${meant.length === 1 ? "machine was" : "machines were"} told to leave`);
  });

async function withFleet(flags: FleetFlags, action: (fleet: Fleet) => Promise<void>): Promise<void> {
  const fleet = await connectFleet(toFleetAddress(flags.fleet ?? defaultServers, flags), "hawser fleet");
  try {
    await action(fleet);
  } finally {
    await fleet.close();
  }
}

const maxCellChars = 100;

/** What machines say about themselves may hold anything. */
function toTable(services: readonly FoundService[]): string {
  if (services.length === 0) return "no service answers; offer tools with: hawser expose <module> --fleet <servers>\n";
  const rows = services.map(({ name, id, version, metadata, requests, errors }) =>
    [name, metadata["machine"] ?? "", metadata["kind"] ?? "", metadata["tools"] ?? "", String(requests), String(errors), version, id].map(
      (text) => fitLine(text, maxCellChars),
    ),
  );
  const all = [["SERVICE", "MACHINE", "KIND", "TOOLS", "CALLS", "ERRORS", "VERSION", "ID"], ...rows];
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all
    .map(
      (row) =>
        `${row
          .map((text, column) => text.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}
