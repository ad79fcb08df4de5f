// What each line of a host causes. Calls go to their lane; everything else is acted on here and now, and
// answered in the order in which it was read. What is no request is answered too, and changes nothing.

import { cutText, HawserError, isRecord, limits, toHawserError, weighJsonText, type Incoming, type Received } from "@hawser/wire";
import type { CallCore } from "../call.ts";
import type { CallLane } from "./call-lane.ts";
import { withExactNumbers } from "./call-item.ts";
import type { ControlAnswers } from "./control-answers.ts";
import { toCapabilityData, toHelloData } from "./features.ts";
import { canEcho, readArguments, readCancelTarget, readId, readOperation } from "./request.ts";
import { toAnswerText, toRefusalText, type IdSource } from "./rpc-answer.ts";

export interface Shutdown {
  readonly id: IdSource;
  readonly isNow: boolean;
}

export interface ReaderParts {
  readonly core: CallCore;
  readonly lane: CallLane;
  readonly controls: ControlAnswers;
  readonly version: string;
}

export interface Reader {
  /** What the next line has to wait for, or that there is no next line. */
  read(item: Incoming): Promise<void> | Shutdown | undefined;
}

export function createReader({ core, lane, controls, version }: ReaderParts): Reader {
  const helloData = JSON.stringify(toHelloData(version));
  let reloading: Promise<void> | undefined;

  function succeed(id: IdSource, data: string): undefined {
    controls.put(toAnswerText(id, { ok: true, code: 0, data }));
  }

  function read(item: Incoming): Promise<void> | Shutdown | undefined {
    const id = readId(item);
    if (!canEcho(id)) return refuse(undefined, "the id is too long or too deep to be echoed", item);
    if (item.kind === "refused") return refuse(id, item.error.message, item);
    if (!isRecord(item.value)) return refuse(id, "a request is one JSON object", item);
    try {
      return perform(id, item, item.value);
    } catch (error) {
      controls.put(toRefusalText(id, toHawserError(error).message, '{"errorInfo":{"kind":"usage","retryable":false}}'));
      return undefined;
    }
  }

  function refuse(id: IdSource, message: string, { position }: Incoming): undefined {
    controls.put(toRefusalText(id, `invalid rpc request json: ${message}`, `{"line":${position}}`));
  }

  function perform(id: IdSource, { text }: Received, value: object): Promise<void> | Shutdown | undefined {
    const operation = readOperation(value);
    switch (operation) {
      case "hello":
        return succeed(id, helloData);
      case "call":
        return lane.accept({
          id,
          args: withExactNumbers((value as { args?: unknown }).args, text, ["args"]),
          bytes: weighJsonText(text),
          after: reloading,
        });
      case "capability":
        return succeed(id, JSON.stringify(toCapabilityData(readName(readArguments(operation, value)))));
      case "cancel":
        readArguments(operation, value);
        return cancel(id, readCancelTarget(text));
      case "reload_config":
        return reload(id);
      default:
        // `shutdown`, the only one left.
        return { id, isNow: (value as { args?: { mode?: unknown } | null }).args?.mode === "now" };
    }
  }

  function cancel(id: IdSource, target: string): undefined {
    if (!canEcho(target)) throw new HawserError("invalid_message", "invalid cancel args: the id is too long or too deep");
    const count = lane.cancel(target, new HawserError("cancelled", "cancelled by request"));
    succeed(id, `{"id":${target},"cancelled":${count > 0},"count":${count}}`);
  }

  // Calls that were read later wait for it; those that run already keep what they began with.
  function reload(id: IdSource): undefined {
    const reloaded = (reloading ?? Promise.resolve()).then(() => core.reload());
    const settled = reloaded
      .catch(() => {})
      .then(() => {
        if (reloading === settled) reloading = undefined;
      });
    reloading = settled;
    const answer = reloaded.then(
      () => toAnswerText(id, { ok: true, code: 0, data: '{"reloaded":true}' }),
      (error: unknown) => toAnswerText(id, reloadFailure(toHawserError(error))),
    );
    controls.putLater(answer);
  }

  return { read };
}

function reloadFailure({ message }: HawserError): { ok: false; code: 2; data: string; error: string } {
  const errorInfo = { kind: "config", retryable: false, hint: "the previous configuration is still in use" };
  return { ok: false, code: 2, data: JSON.stringify({ errorInfo }), error: cutText(message, limits.maxErrorTextChars) };
}

function readName({ name }: Readonly<Record<string, unknown>>): string {
  if (name === undefined || name === null) return "";
  if (typeof name !== "string") throw new HawserError("invalid_message", 'invalid capability args: "name" must be a string');
  // No feature has a name this long; the answer repeats it.
  return cutText(name.trim(), limits.rpcErrorTextBytes, "");
}
