// G20: conversations of a fleet under [count] random faults: runtimes and hosts killed, runtimes frozen past their lease and let go
// again, told to stop or cut off from the server, hosts that do not read or stand still under a flood, the server killed and started again,
// frozen or cut off from all, the journal full, wrong credentials, messages over `max_payload`. Meanwhile every conversation is talked to. A
// model over all that was heard says: every request has one end, no tool ran twice, what was acknowledged is there, every conversation
// loads and goes on.
//   node --conditions=hawser-source packages/fleet/test/soak/conversations.soak.ts [count, 200 unless given] [seed]

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { toEventSubject } from "../../src/conversations/conversation-names.ts";
import { setJournalRoom } from "../stream-settings.ts";
import { isEnd, openSoakFleet, type Line, type SoakHost, type SoakRuntime } from "./soak-fleet.ts";

const count = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(seed)) {
  console.error("usage: conversations.soak.ts [count] [seed], whole numbers");
  process.exit(2);
}

const conversationIds = ["c0", "c1", "c2", "c3", "c4", "c5"];
const runtimeCount = 3;
const hostCount = 3;
/** A request without an end for so long has none. */
const patienceMs = 180_000;

/** Every request, as its host saw it. */
interface Told {
  readonly id: string;
  readonly conversationId: string;
  readonly tickets: readonly string[];
  readonly host: SoakHost;
  readonly end: Line | undefined;
}

const told: Told[] = [];
const problems: string[] = [];
const faults = new Map<string, number>();
let state = seed;
/** Repeatable: a mulberry of 32 bits. */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
}
const below = (limit: number): number => Math.floor(random() * limit);
/** In a short run faults are smaller and closer together; a freeze is still longer than a lease at times, and a flood than a buffer. */
const isShort = count < 60;
const pace = isShort ? 0.4 : 1;
const pause = (longestMs: number, shortestMs = 0): Promise<void> => sleep((shortestMs + below(longestMs)) * pace);

const startedAt = performance.now();
const root = mkdtempSync(join(tmpdir(), "hawser-fleet-soak-"));
const fleet = await openSoakFleet(root, (problem) => problems.push(problem));
const runtimes: SoakRuntime[] = await Promise.all(Array.from({ length: runtimeCount }, () => fleet.runtime()));
const hosts: SoakHost[] = await Promise.all(Array.from({ length: hostCount }, () => fleet.host()));
let isOver = false;
let made = 0;

/** Whatever has died is there again. */
async function replaceDead(): Promise<void> {
  for (const [index, runtime] of runtimes.entries()) if (runtime.isGone) runtimes[index] = await fleet.runtime();
  for (const [index, host] of hosts.entries()) if (host.isGone) hosts[index] = await fleet.host();
}

async function askWithin(host: SoakHost, request: Record<string, unknown> & { id: string }): Promise<Line | undefined> {
  const late = Symbol("late");
  const end = await Promise.race([host.ask(request), sleep(patienceMs, late, { ref: false })]);
  if (end !== late) return end as Line | undefined;
  problems.push(`${request.id} has no end after ${patienceMs / 1_000} s`);
  return undefined;
}

async function talk(conversationId: string): Promise<void> {
  while (!isOver) {
    const host = hosts[below(hostCount)] as SoakHost;
    if (host.isGone) {
      await sleep(50);
      continue;
    }
    const number = ++made;
    const id = crypto.randomUUID();
    const tickets = Array.from({ length: 1 + below(2) }, (_, index) => `${conversationId}-${number}-${index}`);
    const message = tickets.map((n) => `use weld with ${JSON.stringify({ n, ms: below(400) })}`).join(" and then ");
    const end = await askWithin(host, { id, kind: "user_message", message, metadata: { conversationId } });
    told.push({ id, conversationId, tickets, host, end });
    await sleep(below(100));
  }
}

const pick = (): SoakRuntime => runtimes[below(runtimeCount)] as SoakRuntime;
const pickHost = (): SoakHost => hosts[below(hostCount)] as SoakHost;

/** A server that was just started again may take its time, and so may our own connection to it. */
async function untilDone(action: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await action();
    } catch (error) {
      if (tries === 20) throw error;
      await sleep(500);
    }
  }
}

/** Each resolves when it is over. */
const kinds: Readonly<Record<string, () => Promise<void>>> = {
  "runtime killed": async () => void pick().child.kill("SIGKILL"),
  "runtime stopped": async () => void pick().child.kill("SIGTERM"),
  "runtime frozen": async () => {
    const { child } = pick();
    child.kill("SIGSTOP");
    await pause(6_000);
    child.kill("SIGCONT");
  },
  "host killed": async () => void hosts[below(hostCount)]?.child.kill("SIGKILL"),
  "server killed": () => fleet.restartServer(),
  "server frozen": async () => {
    const { pid } = fleet.server;
    process.kill(pid, "SIGSTOP");
    await pause(3_000);
    process.kill(pid, "SIGCONT");
  },
  "journal full": async () => {
    await untilDone(() => setJournalRoom(fleet.fleet, below(2_000)));
    await pause(1_500);
    await untilDone(() => setJournalRoom(fleet.fleet, undefined));
  },
  "runtime cut off": async () => {
    const { way } = pick();
    way.cut();
    await pause(6_000);
    way.heal(random() < 0.5);
  },
  "server cut off": async () => {
    const cut = [...fleet.ways];
    for (const way of cut) way.cut();
    await pause(3_000);
    for (const way of cut) way.heal(random() < 0.5);
  },
  "host does not read": async () => {
    const host = pickHost();
    host.leaveUnread();
    try {
      await untilDone(flood);
      await pause(3_000);
    } finally {
      host.readOn();
    }
  },
  "slow consumer": async () => {
    const { child } = pickHost();
    child.kill("SIGSTOP");
    try {
      await untilDone(flood);
      await pause(1_500, 1_500);
    } finally {
      child.kill("SIGCONT");
    }
  },
  "wrong credentials": async () => {
    const { code, stderr } = await fleet.stranger();
    if (code !== 2 || !stderr.includes("does not take these credentials")) problems.push(`a stranger ended with ${code}: ${stderr}`);
  },
  "over max_payload": async () => {
    const host = pickHost();
    const id = crypto.randomUUID();
    const [conversationId = ""] = conversationIds;
    const message = "x".repeat(fleet.maxPayload + below(10_000_000));
    const end = await askWithin(host, { id, kind: "user_message", message, metadata: { conversationId } });
    told.push({ id, conversationId, tickets: [], host, end });
    if (end !== undefined && end["code"] !== "too_large") problems.push(`a message over max_payload ended with ${JSON.stringify(end)}`);
  },
};

/** More than buffers between the server and one host hold, in each conversation. */
async function flood(): Promise<void> {
  const { connection } = fleet.fleet;
  const text = JSON.stringify({ id: `flood-${crypto.randomUUID()}`, type: "token", token: "x".repeat(200_000) });
  for (const conversationId of conversationIds)
    for (let said = 0; said < (isShort ? 14 : 30); said++) connection.publish(toEventSubject(conversationId), text);
  await connection.flush();
}
/** More often what is about owners. */
const drawn = [
  "runtime killed",
  "runtime killed",
  "runtime frozen",
  "runtime frozen",
  "runtime stopped",
  "host killed",
  "server killed",
  "server frozen",
  "journal full",
  "runtime cut off",
  "runtime cut off",
  "server cut off",
  "host does not read",
  "slow consumer",
  "wrong credentials",
  "over max_payload",
];

async function disturb(): Promise<void> {
  for (let done = 0; done < count; done++) {
    await pause(700, 100);
    const name = drawn[below(drawn.length)] ?? "runtime killed";
    faults.set(name, (faults.get(name) ?? 0) + 1);
    await kinds[name]?.().catch((error: Error) => problems.push(`${name}: ${error.message}`));
    await replaceDead();
  }
  isOver = true;
}

/** The model: what must be true of everything that was heard. */
async function check(): Promise<void> {
  await replaceDead();
  const host = await fleet.host();
  const runs = fleet.runs();
  for (const [ticket, times] of runs) if (times > 1) problems.push(`the tool ran ${times} times for ${ticket}`);
  for (const { id, host: asked, end, tickets } of told) {
    const ends = asked.linesOf(id).filter(isEnd).length;
    if (ends > 1 || (ends === 0 && !asked.isGone)) problems.push(`${id} has ${ends} ends`);
    if (end?.type === "done")
      for (const ticket of tickets) if (!runs.has(ticket)) problems.push(`${ticket} was acknowledged and never ran`);
  }
  for (const conversationId of conversationIds) await checkConversation(host, conversationId);
}

async function checkConversation(host: SoakHost, conversationId: string): Promise<void> {
  const id = crypto.randomUUID();
  const loaded = await askWithin(host, { id, kind: "load_conversation", conversationId });
  if (loaded?.type !== "done") return void problems.push(`${conversationId} does not load: ${JSON.stringify(loaded)}`);
  const messages = host.linesOf(id).flatMap(({ data }) => (data as { messages?: Message[] } | undefined)?.messages ?? []);
  for (const request of told.filter((one) => one.conversationId === conversationId)) {
    const answers = messages.filter(({ role, requestId }) => role === "assistant" && requestId === request.id);
    if (answers.length > 1) problems.push(`${request.id} stands ${answers.length} times in ${conversationId}`);
    if (request.end?.type !== "done") continue;
    const [answer] = answers;
    const text = JSON.stringify(answer ?? null);
    if (!answer || answer.interrupted !== undefined || !request.tickets.every((ticket) => text.includes(`seam ${ticket} is welded`)))
      problems.push(`${request.id} was acknowledged and is not whole in ${conversationId}: ${text.slice(0, 200)}`);
  }
  const next = await askWithin(host, { id: crypto.randomUUID(), kind: "user_message", message: "2+2", metadata: { conversationId } });
  if (next?.type !== "done") problems.push(`the next message of ${conversationId} ended with ${JSON.stringify(next)}`);
}

interface Message {
  readonly role: string;
  readonly requestId?: string;
  readonly interrupted?: string;
}

let slow = 0;
try {
  await Promise.all([disturb(), ...conversationIds.map(talk)]);
  await check();
  slow = await fleet.slowConsumers();
} finally {
  await fleet.close();
  rmSync(root, { recursive: true, force: true });
}
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
const ends = new Map<string, number>();
for (const { end } of told) {
  const name = end === undefined ? "host died" : typeof end["code"] === "string" ? end["code"] : (end.type ?? "end");
  ends.set(name, (ends.get(name) ?? 0) + 1);
}
const endsOf = [...ends].map(([name, times]) => `${times} ${name}`).join(", ");
const kindsOf = [...faults].map(([name, times]) => `${times} ${name}`).join(", ");
for (const problem of problems.slice(0, 20)) console.log(problem);
const outcome = problems.length === 0 ? "passed" : `FAILED with ${problems.length} problems`;
console.log(
  `fleet conversations: ${outcome}, ${count} faults (${kindsOf}), ${told.length} requests (${endsOf}), ${slow} slow consumers, seed ${seed}, ${seconds} s`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
