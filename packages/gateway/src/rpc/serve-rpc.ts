// Serves igw-rpc-v1 on one transport. Calls go to their lane; everything else is acted on at once and answered in the order
// in which it was read, so that a `cancel` does not wait behind the calls it is for. Every request gets one answer, also a
// line that isn't a request; `shutdown` gets the last one.

import { setImmediate as endOfTurn } from "node:timers/promises";
import { cutText, HawserError, isRecord, protocolLimits, toHawserError } from "@hawser/protocol/internal";
import { createOutbox, type Incoming, JsonText, type Outbox, type Transport, weighJsonText } from "@hawser/wire/internal";
import { createNoMore, type Lifecycle, serve } from "@hawser/wire/internal/node";
import type { CallCore } from "../call.ts";
import { gatewayLimits } from "../limits.ts";
import { withExactNumbers } from "../request/call-item.ts";
import { type CallLane, createCallLane } from "./call-lane.ts";
import { canEcho, readArguments, readCancelTarget, readId, readOperation, toCapabilityData, toHelloData } from "./request.ts";
import { type IdSource, toAnswerText, toRefusalText } from "./rpc-answer.ts";

export interface ServeRpcOptions {
  /** What `hello` gives as the version of the program. */
  readonly version: string;
  readonly workers?: number | undefined;
  readonly queueSize?: number | undefined;
  /** What becomes of a call that finds the queue full: it waits, and in the end its reader too, or it is refused. */
  readonly overflow?: "block" | "reject" | undefined;
  /** Ends the serving from outside, as a process does when it is told to stop. */
  readonly lifecycle?: Lifecycle | undefined;
}

interface Shutdown {
  readonly id: IdSource;
  readonly isNow: boolean;
}

// A few full pipes. More only makes memory grow where input comes faster than output goes.
const behindFromBytes = 262_144;
const done = Promise.resolve();

/** Resolves when no more will be read and everything accepted has been answered. */
export function serveRpc(transport: Transport, core: CallCore, options: ServeRpcOptions): Promise<void> {
  const { lifecycle, overflow = "block" } = options;
  const workers = checkedSize("workers", options.workers ?? 1, gatewayLimits.rpcMaxWorkers);
  const queueSize = checkedSize("queue size", options.queueSize ?? 64, gatewayLimits.rpcMaxQueuedMessages);
  const outbox = createOutbox<string>({
    send: (text) => transport.send(new JsonText(text)),
    weigh: (text) => Buffer.byteLength(text),
    maxUnsent: gatewayLimits.rpcUnsentBytes,
    // Answers of one turn leave in one piece: a write costs as much as all the rest of an answer. One worker has one at a time.
    pause: (sent) => (sent === 0 && workers > 1 ? endOfTurn() : undefined),
  });
  // What is answered here keeps its order: most of it at once, and behind a `reload_config` when that is over.
  const controls = createOutbox<string | Promise<string>>({
    send: (text) => (typeof text === "string" ? (outbox.put(text), done) : text.then((ready) => outbox.put(ready))),
    maxUnsent: gatewayLimits.rpcPendingMessages - 1,
  });
  const lane = createCallLane(core, outbox, { workers, queueSize, overflow, noMore: createNoMore(transport, lifecycle) });
  const act = createActions(core, lane, controls, options.version);

  async function keepPace(): Promise<undefined> {
    if (lane.isFull()) await lane.whenRoom();
    if (outbox.unsent > behindFromBytes) await (outbox.isFull ? outbox.whenRoom() : endOfTurn());
    if (controls.isFull) await controls.whenSent();
  }

  return serve<Shutdown>({
    transport,
    lifecycle,
    read(item) {
      const shutdown = act(item);
      return shutdown ?? (lane.isFull() || outbox.unsent > behindFromBytes || controls.isFull ? keepPace() : undefined);
    },
    cancelAll: lane.cancelAll,
    async finish(shutdown, cancelling) {
      if (shutdown?.isNow) lane.cancelAll(new HawserError("cancelled", "cancelled by shutdown"));
      await lane.whenEmpty();
      await Promise.race([controls.whenSent(), cancelling]);
      if (shutdown) outbox.put(toAnswerText(shutdown.id, { ok: true, code: 0, data: '{"shutdown":true}' }));
      await outbox.whenSent();
    },
  });
}

function createActions(core: CallCore, lane: CallLane, controls: Outbox<string | Promise<string>>, version: string) {
  const helloData = JSON.stringify(toHelloData(version));
  let reloading: Promise<void> | undefined;

  function succeed(id: IdSource, data: string): undefined {
    controls.put(toAnswerText(id, { ok: true, code: 0, data }));
  }

  function refuse(id: IdSource, message: string, { position }: Incoming): undefined {
    controls.put(toRefusalText(id, `invalid rpc request json: ${message}`, `{"line":${position}}`));
  }

  function perform(id: IdSource, text: string, value: object): Shutdown | undefined {
    const operation = readOperation(value);
    const { args } = value as { args?: unknown };
    switch (operation) {
      case "hello":
        return succeed(id, helloData);
      case "call":
        lane.accept({ id, args: withExactNumbers(args, text, ["args"]), bytes: weighJsonText(text), after: reloading });
        return undefined;
      case "capability":
        return succeed(id, JSON.stringify(toCapabilityData(readArguments(operation, args))));
      case "cancel":
        readArguments(operation, args);
        return cancel(id, readCancelTarget(text));
      case "reload_config":
        return reload(id);
      case "shutdown":
        return { id, isNow: (args as { mode?: unknown } | null | undefined)?.mode === "now" };
      default:
        // A name that is known and not handled does not compile.
        return operation satisfies never;
    }
  }

  function cancel(id: IdSource, target: string): undefined {
    if (!canEcho(target)) throw new HawserError("invalid_message", "invalid cancel args: the id is too long or too deep");
    const count = lane.cancel(target, new HawserError("cancelled", "cancelled by request"));
    succeed(id, `{"id":${target},"cancelled":${count > 0},"count":${count}}`);
  }

  // Calls that were read later wait for it; those that run already keep what they began with.
  function reload(id: IdSource): undefined {
    const answer = (reloading ?? done)
      .then(() => core.reload())
      .then(
        () => toAnswerText(id, { ok: true, code: 0, data: '{"reloaded":true}' }),
        (thrown: unknown) => {
          const errorInfo = { kind: "config", retryable: false, hint: "the previous configuration is still in use" };
          const error = cutText(toHawserError(thrown).message, protocolLimits.maxErrorTextChars);
          return toAnswerText(id, { ok: false, code: 2, data: JSON.stringify({ errorInfo }), error });
        },
      );
    const settled = answer.then(() => {
      if (reloading === settled) reloading = undefined;
    });
    reloading = settled;
    controls.put(answer);
  }

  return (item: Incoming): Shutdown | undefined => {
    const id = readId(item);
    if (!canEcho(id)) return refuse(undefined, "the id is too long or too deep to be echoed", item);
    if (item.kind === "refused") return refuse(id, item.error.message, item);
    if (!isRecord(item.value)) return refuse(id, "a request is one JSON object", item);
    try {
      return perform(id, item.text, item.value);
    } catch (error) {
      controls.put(toRefusalText(id, toHawserError(error).message, '{"errorInfo":{"kind":"usage","retryable":false}}'));
      return undefined;
    }
  };
}

function checkedSize(what: string, count: number, most: number): number {
  if (!Number.isSafeInteger(count) || count < 1)
    throw new HawserError("usage", `${what} must be a whole number of at least 1, not ${count}`);
  if (count > most) throw new HawserError("usage", `${what} must be at most ${most}, not ${count}`);
  return count;
}
