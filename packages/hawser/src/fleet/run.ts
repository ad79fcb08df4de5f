// `hawser fleet status` and `hawser fleet drain`: they ask the servers that run, and change nothing but what they are told to.

import { setTimeout as sleep } from "node:timers/promises";
import { drainSubject, findServices, toDrainName, type FoundService } from "@hawser/fleet/internal";
import { HawserError } from "@hawser/protocol/internal";
import { runUntilStopped } from "@hawser/wire/internal/node";
import { fitLine, notify, printStyled, printTo } from "../command-line/output.ts";
import { conversationHeads, listConversations, toConversationRows, type ListedConversation } from "./conversation-table.ts";
import type { FleetFlags } from "./flags.ts";
import { withFleet } from "./with-fleet.ts";

export interface StatusFlags extends FleetFlags {
  readonly json?: boolean;
  readonly once?: boolean;
  readonly watch?: boolean;
}

export type DrainFlags = FleetFlags;

const refreshMs = 2_000;
const clearScreen = "\u001b[H\u001b[2J";

export const runStatus = (flags: StatusFlags): Promise<void> =>
  runUntilStopped(({ stopping }) =>
    withFleet(flags, "hawser fleet", async (fleet) => {
      const isScreen = process.stdout.isTTY && !flags.json;
      const isWatched = flags.watch ?? (isScreen && !flags.once);
      for (;;) {
        const services = await findServices(fleet);
        const conversations = await listConversations(fleet, services);
        if (flags.json) printTo(process.stdout, `${JSON.stringify({ servers: fleet.servers, services, conversations })}\n`);
        else
          printStyled(
            process.stdout,
            `${isWatched && isScreen ? clearScreen : ""}${toTable(services)}${toConversationTable(conversations)}`,
          );
        if (!isWatched) return;
        await sleep(refreshMs, undefined, { signal: stopping }).catch(() => {});
        if (stopping.aborted) return;
      }
    }),
  );

export const runDrain = (name: string, flags: DrainFlags): Promise<void> =>
  withFleet(flags, "hawser fleet", async (fleet) => {
    const meant = (await findServices(fleet)).filter((service) => toDrainName(service) === name || service.id === name);
    if (meant.length === 0)
      throw new HawserError("usage", `no machine of the fleet is called ${JSON.stringify(name)}; see: hawser fleet status`);
    fleet.say(drainSubject, name);
    await fleet.connection.flush();
    notify(`${meant.length} ${meant.length === 1 ? "machine was" : "machines were"} told to leave`);
  });

const maxCellChars = 100;

/** What machines say about themselves may hold anything. */
function toTable(services: readonly FoundService[]): string {
  if (services.length === 0)
    return "no service answers; offer tools with: hawser expose <module> --fleet <servers>, or an agent with: hawser agent --fleet <servers>\n";
  const rows = services.map(({ name, id, version, metadata, requests, errors }) => [
    name,
    metadata["machine"] ?? "",
    metadata["kind"] ?? "",
    heldBy(metadata),
    String(requests),
    String(errors),
    version,
    id,
  ]);
  return toLines([["SERVICE", "MACHINE", "KIND", "HOLDS", "CALLS", "ERRORS", "VERSION", "ID"], ...rows]);
}

/** How many tools, or conversations. */
const heldBy = ({ tools, conversations }: FoundService["metadata"]): string => tools ?? conversations ?? "";

const toConversationTable = (conversations: readonly ListedConversation[]): string =>
  conversations.length === 0 ? "" : `\n${toLines([conversationHeads, ...toConversationRows(conversations)])}`;

function toLines(rows: readonly (readonly string[])[]): string {
  const all = rows.map((row) => row.map((text) => fitLine(text, maxCellChars)));
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
