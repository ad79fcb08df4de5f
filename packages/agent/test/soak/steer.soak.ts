// G12: the real agent is steered, forked, and killed at [count] random points. Every steer that it had acknowledged is there exactly
// once: it waits, or stands in the history. Every fork that it had acknowledged loads and begins as its original does, every other
// conversation loads, and no file stays behind.
//   node --conditions=hawser-source packages/agent/test/soak/steer.soak.ts [count, 100 unless given]

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { AnyAgentResponse, ConversationMessage } from "@hawser/protocol";
import { builtHawser } from "../../../../test/kit/built-hawser.ts";
import { isJournalName } from "../../src/history/conversation-files.ts";

const count = Number(process.argv[2] ?? 200);
if (!Number.isSafeInteger(count) || count < 1) {
  console.error("usage: steer.soak.ts [count], a whole number of at least 1");
  process.exit(2);
}

/** What was acknowledged, by conversation. */
const steers = new Map<string, Set<string>>();
/** The original of each fork. */
const forks = new Map<string, string>();
const conversationIds = ["c0", "c1", "c2"];
const problems: string[] = [];
let acknowledgements = 0;
let requests = 0;

class Ended extends Error {}

function startAgent(root: string) {
  const args = [builtHawser, "agent", "--model", "offline", "--data-dir", join(root, "data"), "--root", join(root, "work")];
  const env = { ...process.env, HOME: root, XDG_CONFIG_HOME: join(root, "config"), OLLAMA_HOST: "http://127.0.0.1:1" };
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"], env });
  const waiting = new Map<string, { events: AnyAgentResponse[]; onEvent(event: AnyAgentResponse): void; fail(): void }>();
  let isKilled = false;
  child.stdin.on("error", () => {});
  let said = "";
  child.stderr.on("data", (text: Buffer) => {
    said += String(text);
    if (/damaged|could not|can't/.test(String(text))) problems.push(String(text).trim());
  });
  const closed = once(child, "close").then(() => {
    isKilled = true;
    for (const { fail } of waiting.values()) fail();
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const event = parseOrUndefined(line);
    if (event && "id" in event) waiting.get(event.id)?.onEvent(event);
  });

  /** All that comes until `isEnough`, which is the end unless given. */
  function ask(kind: string, members: object, isEnough = isEnd): Promise<AnyAgentResponse[]> {
    const id = `r${requests++}`;
    return new Promise((resolve, reject) => {
      if (isKilled) return reject(new Ended(`the agent has ended: ${said.slice(-300)}`));
      const events: AnyAgentResponse[] = [];
      const onEvent = (event: AnyAgentResponse): void => {
        events.push(event);
        if (isEnough(event) || isEnd(event)) resolve(events);
      };
      waiting.set(id, { events, onEvent, fail: () => reject(new Ended(`the agent has ended: ${said.slice(-300)}`)) });
      child.stdin.write(`${JSON.stringify({ id, kind, ...members })}\n`);
    });
  }

  return {
    ask,
    kill: () => child.kill("SIGKILL"),
    async end(): Promise<void> {
      child.stdin.end();
      await closed;
    },
    closed,
  };
}

type Agent = ReturnType<typeof startAgent>;

const isEnd = ({ type }: AnyAgentResponse): boolean => type === "done" || type === "error" || type === "status";

function parseOrUndefined(line: string): AnyAgentResponse | undefined {
  try {
    return JSON.parse(line) as AnyAgentResponse;
  } catch {
    // The last line of a process that was killed.
    return undefined;
  }
}

/** A turn that waits at a question: steered, forked meanwhile, and then let go, ended or cancelled. */
async function steerTurn(agent: Agent, conversationId: string, turn: number): Promise<void> {
  const message = `write "${turn}" to note.txt`;
  const begun = await agent.ask("user_message", { message, metadata: { conversationId } }, ({ type }) => type === "permission_request");
  const question = begun.at(-1);
  if (question?.type !== "permission_request") throw new Error(`no question: ${JSON.stringify(question)}`);
  const steer = async (words: string): Promise<void> => {
    const end = (await agent.ask("steer", { target: question.id, message: words })).at(-1);
    if (end?.type !== "done" || end.data?.steerId === undefined) return;
    acknowledgements++;
    steers.set(conversationId, (steers.get(conversationId) ?? new Set()).add(end.data.steerId));
  };
  const fork = async (): Promise<void> => {
    const [event] = await agent.ask("fork_conversation", { conversationId });
    if (event?.type !== "forked") return;
    acknowledgements++;
    forks.set(event.data.conversationId, conversationId);
  };
  await Promise.all([steer("what is 1 + 1?"), fork(), steer("what is 2 + 2?")]);
  const { permissionId } = question.data;
  const isCancelled = turn % 3 === 2;
  await Promise.all([
    steer("what is 3 + 3?"),
    isCancelled ? agent.ask("cancel", { target: question.id }) : agent.ask("permission_response", { permissionId, decision: "deny" }),
    steer("what is 4 + 4?"),
  ]);
}

async function check(agent: Agent): Promise<void> {
  const messagesOf = async (conversationId: string): Promise<readonly ConversationMessage[]> => {
    const events = await agent.ask("load_conversation", { conversationId, include: ["steer"] });
    const last = events.at(-1);
    if (last?.type === "error") problems.push(`${conversationId}: ${last.error}`);
    return events.flatMap((event) => (event.type === "conversation" ? event.data.messages : []));
  };
  for (const conversationId of conversationIds) {
    const messages = await messagesOf(conversationId);
    const [queue] = await agent.ask("list_queue", { conversationId });
    const waiting = queue?.type === "queue" ? queue.data.steers.map(({ steerId }) => steerId) : [];
    const parts = messages.flatMap((message) => message.parts.flatMap((part) => (part.type === "steer" ? [part.steerId] : [])));
    const said = messages.flatMap(({ role, requestId }) => (role === "user" && requestId !== undefined ? [requestId] : []));
    const found = Map.groupBy([...waiting, ...parts, ...said], (id) => id);
    for (const steerId of steers.get(conversationId) ?? []) {
      const times = found.get(steerId)?.length ?? 0;
      if (times !== 1) problems.push(`${conversationId}: ${steerId} is there ${times} times`);
    }
    const ids = messages.map(({ messageId }) => messageId);
    for (const [fork] of [...forks].filter(([, original]) => original === conversationId)) {
      const taken = await messagesOf(fork);
      if (taken.length === 0 || taken.some(({ messageId }, index) => messageId !== ids[index])) problems.push(`${fork} is not whole`);
      forks.delete(fork);
    }
  }
  if (problems.length > 0) throw new Error(problems.slice(0, 5).join("; "));
}

/** Looks at what the last one left, works, and is killed somewhere in between. */
async function workAndKill(root: string): Promise<void> {
  const agent = startAgent(root);
  await check(agent);
  const timer = setTimeout(agent.kill, Math.random() * 250);
  const work = async (conversationId: string): Promise<void> => {
    for (let turn = 0; ; turn++) await steerTurn(agent, conversationId, turn);
  };
  const outcomes = await Promise.allSettled(conversationIds.map(work));
  clearTimeout(timer);
  agent.kill();
  await agent.closed;
  for (const outcome of outcomes) if (outcome.status === "rejected" && !(outcome.reason instanceof Ended)) throw outcome.reason;
}

const root = mkdtempSync(join(tmpdir(), "hawser-steer-soak-"));
mkdirSync(join(root, "work"));
const startedAt = performance.now();
let kills = 0;
try {
  for (; kills < count; kills++) await workAndKill(root);
  const agent = startAgent(root);
  await check(agent);
  await agent.end();
  const folder = join(root, "data", "conversations");
  const left = readdirSync(folder).filter((name) => !isJournalName(name));
  if (left.length > 0) throw new Error(`left behind: ${left.join(", ")}`);
  console.log(
    `steer: passed, ${count} kills, ${acknowledgements} acknowledgements, ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`,
  );
} catch (error) {
  console.log(`steer: FAILED after ${kills + 1} kills: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}
