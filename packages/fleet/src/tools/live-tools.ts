// The tools of one service, as they are now: machines come and go. The list is that of the machine that was started last, so that
// a new version counts as soon as it is there; when the last machine of a version has gone, the one before it counts again.

import type { ToolSchema } from "@hawser/bridge/internal";
import { describeThrown, HawserError } from "@hawser/protocol";
import { isSettledWithin } from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { Fleet } from "../connect.ts";
import { fleetLimits } from "../limits.ts";
import { readObject } from "../message-text.ts";
import { toServiceSubjects } from "../subjects.ts";
import { readAnnouncement, readPage, type Announcement } from "./tool-pages.ts";

export interface ToolVersion {
  readonly digest: string;
  readonly schemas: readonly ToolSchema[];
}

export type LiveTools = Awaited<ReturnType<typeof watchTools>>;

/** Resolves when the first machine has listed its tools, or none has answered in time. Throws `usage` when the server does not allow it. */
export async function watchTools(fleet: Fleet, service: string) {
  const { connection } = fleet;
  const subjects = toServiceSubjects(service);
  const machines = new Map<string, Announcement & { seenAt: number }>();
  const lists = new Map<string, readonly ToolSchema[]>();
  const first = Promise.withResolvers<void>();
  let current: ToolVersion | undefined;
  let onChange = (): void => {};
  let choosing: Promise<void> = Promise.resolve();

  async function load({ digest, pages }: Announcement): Promise<readonly ToolSchema[]> {
    const loaded: ToolSchema[] = [];
    for (let page = 0; page < pages; page += 1) {
      const answer = await connection.request(subjects.list(digest), String(page), { timeout: fleetLimits.fleetAskMs });
      loaded.push(...readPage(answer.string()));
    }
    return loaded;
  }

  /** One after the other: two announcements at once must not put an old list in the place of a new one. */
  function choose(): void {
    choosing = choosing
      .then(chooseNow)
      .catch((error: unknown) => logLine(`[hawser] fleet: the tools of "${service}" stay as they were: ${describeThrown(error)}`));
  }

  async function chooseNow(): Promise<void> {
    const newest = [...machines.values()].toSorted((a, b) => b.startedAt - a.startedAt)[0];
    if (newest?.digest === current?.digest) return first.resolve();
    if (newest && !lists.has(newest.digest)) lists.set(newest.digest, await load(newest));
    current = newest && { digest: newest.digest, schemas: lists.get(newest.digest) ?? [] };
    for (const digest of lists.keys()) if (![...machines.values()].some((machine) => machine.digest === digest)) lists.delete(digest);
    first.resolve();
    onChange();
  }

  const announced = fleet.listen(subjects.announce, (message) => {
    const found = readAnnouncement(readObject(message.string()));
    if (found?.service !== service) return;
    if (found.isGone) machines.delete(found.id);
    else if (machines.has(found.id) || machines.size < fleetLimits.fleetListedEntries)
      machines.set(found.id, { ...found, seenAt: performance.now() });
    choose();
  });

  /** Those that ended without a word. */
  function sweep(): void {
    const before = performance.now() - fleetLimits.fleetGoneMs;
    for (const [id, { seenAt }] of machines) if (seenAt < before) machines.delete(id);
    choose();
  }
  // Timers run before input is read: what was announced while this process itself stood still is let in first.
  const sweeping = setInterval(() => setImmediate(sweep), fleetLimits.fleetAnnounceMs);
  sweeping.unref();

  fleet.say(subjects.who);
  await fleet.checkAllowed();
  await isSettledWithin(first.promise, fleetLimits.fleetAskMs);

  return {
    /** Undefined while no machine offers it. */
    get current() {
      return current;
    },
    /** Called when the tools have changed. A second callback replaces the first. */
    watch(listener: () => void): void {
      onChange = listener;
    },
    /** No machine of this version has answered: the list is looked at again. */
    forget(digest: string): void {
      for (const [id, machine] of machines) if (machine.digest === digest) machines.delete(id);
      choose();
      fleet.say(subjects.who);
    },
    close(): void {
      clearInterval(sweeping);
      announced.unsubscribe();
    },
  };
}

/** For a call while no machine is there. */
export const noMachine = (service: string): HawserError =>
  new HawserError(
    "connection_failed",
    `no machine offers "${service}" now; start one with: hawser expose <module> --fleet <address> --name ${service}`,
  );
