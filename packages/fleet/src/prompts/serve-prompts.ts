// An agent as Synadia's agent protocol (0.3) knows one, so that its SDKs find it and prompt it: a NATS service called `agents`, a prompt
// subject, a status subject and a sign of life. `answer` makes the answers. Every prompt ends once: with an empty message, after an error
// where there was one.

import { randomUUID } from "node:crypto";
import { headers, type Msg } from "@nats-io/transport-node";
import { HawserError, toHawserError, type ErrorCode } from "@hawser/protocol";
import { isRecord } from "@hawser/protocol/internal";
import { createSemaphore, isSettledWithin, untilAborted } from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { Fleet } from "../connect.ts";
import { answerDiscovery } from "../discovery.ts";
import { fleetLimits } from "../limits.ts";
import { promptKind } from "../subjects.ts";

/** Answers one prompt by saying pieces of text; throws for an answer that failed. */
export type AnswerPrompt = (prompt: string, answer: { readonly signal: AbortSignal; say(text: string): void }) => Promise<void>;

export interface PromptOptions {
  /** Whose agent it is, and which session of it: small letters, digits, `-` and `_`. Prompts of one session are one conversation. */
  readonly owner: string;
  readonly session: string;
  /** The product's version. */
  readonly version: string;
  /** For lists of services: the machine's name. */
  readonly machine: string;
  readonly answer: AnswerPrompt;
}

export interface ServedPrompts {
  readonly id: string;
  readonly subject: string;
  /** Resolves when somebody has told this agent to leave. */
  readonly drained: Promise<void>;
  /** Takes nothing new; what runs has its time, is then given up, and every prompt is answered. */
  stop(graceMs?: number): Promise<void>;
}

/** The names that the protocol gives. */
const [protocolVersion, agentKind, service, queue] = ["0.3", "hawser", "agents", "agents"];

/** Throws `usage` for a name that can't be part of a subject, and when the server does not allow it. */
export async function servePrompts(fleet: Fleet, { owner, session, version, machine, answer }: PromptOptions): Promise<ServedPrompts> {
  const { connection } = fleet;
  const place = [agentKind, checkToken(owner, "owner"), checkToken(session, "name")].join(".");
  const subject = `agents.prompt.${place}`;
  const id = randomUUID();
  const seats = createSemaphore(fleetLimits.fleetPromptTurns);
  const running = new Map<AbortController, Promise<void>>();
  const counts = { requests: 0, errors: 0, busyMs: 0, lastError: "" };
  const drained = Promise.withResolvers<void>();

  const tell = (reply: string, type: "status" | "response", data: string): void => fleet.say(reply, JSON.stringify({ type, data }));

  async function run(message: Msg, reply: string, abort: AbortController): Promise<void> {
    const startedAt = performance.now();
    const seat = seats.tryAcquire();
    // Callers give up after a minute of silence; a status that they don't know is passed over.
    const beat = setInterval(() => tell(reply, "status", "working"), fleetLimits.fleetAnnounceMs);
    try {
      if (!seat)
        throw new HawserError("overloaded", `this agent answers ${fleetLimits.fleetPromptTurns} prompts at the same time; try again`);
      const prompt = readPrompt(message);
      tell(reply, "status", "ack");
      const say = (text: string): void => sayInPieces(fleet, text, (piece) => tell(reply, "response", piece));
      await untilAborted(abort.signal, answer(prompt, { signal: abort.signal, say }));
    } catch (error) {
      const failure = toHawserError(error);
      counts.errors += 1;
      counts.lastError = failure.message;
      const made = headers();
      made.set("Nats-Service-Error-Code", statusOf(failure.code));
      made.set("Nats-Service-Error", toAsciiLine(failure.message));
      fleet.say(reply, "", undefined, made);
    } finally {
      clearInterval(beat);
      seat?.release();
      counts.requests += 1;
      counts.busyMs += performance.now() - startedAt;
      fleet.say(reply);
    }
  }

  function begin(message: Msg): void {
    const { reply } = message;
    if (!reply) return;
    const abort = new AbortController();
    const ended = run(message, reply, abort)
      .catch((error: unknown) => logLine(`[hawser] fleet: a prompt could not be answered: ${toHawserError(error).message}`))
      .finally(() => running.delete(abort));
    running.set(abort, ended);
  }

  const metadata = { agent: agentKind, owner, session, protocol_version: protocolVersion, kind: promptKind, machine };
  const endpoints = [
    { name: "prompt", subject, queueGroup: queue, metadata: { max_payload: `${fleet.maxPayload}B`, attachments_ok: "false" } },
    { name: "status", subject: `agents.status.${place}`, queueGroup: queue },
  ];
  const describeNow = (): string =>
    JSON.stringify({
      agent: agentKind,
      owner,
      session,
      instance_id: id,
      ts: new Date().toISOString(),
      interval_s: Math.round(fleetLimits.fleetAnnounceMs / 1_000),
      protocol_version: protocolVersion,
    });
  const announce = (): void => fleet.say(`agents.hb.${place}`, describeNow());

  const prompts = fleet.listen(subject, begin, queue);
  const statuses = fleet.listen(`agents.status.${place}`, (message) => void message.respond(describeNow()), queue);
  const stopDrain = fleet.onDrain([id, promptKind], drained.resolve);
  const description = `Agent of ${machine}, by Hawser`;
  const stopDiscovery = answerDiscovery(fleet, { name: service, id, version, description, metadata, endpoints }, () => counts);
  const beat = setInterval(announce, fleetLimits.fleetAnnounceMs);
  let stopping: Promise<void> | undefined;

  async function stop(graceMs: number): Promise<void> {
    clearInterval(beat);
    stopDiscovery();
    await fleet.drain(prompts);
    const ended = (): Promise<unknown> => Promise.all(running.values());
    await isSettledWithin(ended(), graceMs);
    for (const abort of running.keys()) abort.abort(new HawserError("cancelled", "this agent is leaving"));
    await ended();
    statuses.unsubscribe();
    stopDrain();
    await fleet.flush();
  }

  void connection.closed().then(() => {
    clearInterval(beat);
    for (const abort of running.keys()) abort.abort(new HawserError("closed", "the connection to the fleet was closed"));
  });
  announce();
  await fleet.checkAllowed();
  return { id, subject, drained: drained.promise, stop: (graceMs = fleetLimits.fleetDrainMs) => (stopping ??= stop(graceMs)) };
}

/** A text, or an object with one. Throws `invalid_message`. */
function readPrompt(message: Msg): string {
  const text = message.string();
  if (!/^[ \t\r\n]*\{/.test(text)) return checkPrompt(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new HawserError("invalid_message", "the prompt begins as JSON and isn't", { cause });
  }
  const { prompt, attachments } = isRecord(value) ? value : {};
  if (Array.isArray(attachments) && attachments.length > 0)
    throw new HawserError("invalid_message", "this agent takes no attachments; put their text into the prompt");
  return checkPrompt(prompt);
}

function checkPrompt(prompt: unknown): string {
  if (typeof prompt === "string" && prompt.trim() !== "") return prompt;
  throw new HawserError("invalid_message", "the prompt is empty, or not a text");
}

/** As many messages as the server's `max_payload` makes necessary. Never between the halves of one character. */
function sayInPieces({ maxPayload }: Fleet, text: string, say: (piece: string) => void): void {
  // JSON may write one character as six bytes.
  const most = Math.max(1, Math.floor((maxPayload - 100) / 6));
  for (let from = 0; from < text.length;) {
    const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(from + most - 1)) && most > 1;
    const to = from + (isHalf ? most - 1 : most);
    say(text.slice(from, to));
    from = to;
  }
}

const statusCodes: Partial<Record<ErrorCode, string>> = { invalid_message: "400", usage: "400", overloaded: "429", cancelled: "499" };
const statusOf = (code: ErrorCode): string => statusCodes[code] ?? "500";

/** One line of visible ASCII. */
const toAsciiLine = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 1_000);

/** Throws `usage`. */
function checkToken(token: string, what: string): string {
  if (/^[a-z0-9_-]{1,32}$/.test(token)) return token;
  throw new HawserError(
    "usage",
    `the ${what} of an agent has small letters, digits, - and _, at most 32; not ${JSON.stringify(token.slice(0, 100))}`,
  );
}
