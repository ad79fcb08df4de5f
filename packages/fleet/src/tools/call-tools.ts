// Calls of tools on other machines. Each is sent once and ends once: with its result, an error, a cancel, or, when nothing is heard of
// it any more, with `unknown_outcome`: the function may have run, so it is never called again by itself.

import type { Msg } from "@nats-io/transport-node";
import type { CallToolParams, IPCErrorPayload, ToolResult } from "@hawser/bridge/internal";
import { bridgeProtocol, HawserError, isRecord, toHawserError, tooLarge, type BridgeResponse } from "@hawser/protocol/internal";
import type { LogLevel } from "@hawser/tools";
import { keepNumbers, parseJsonText, toJsonText, type CancelSignal } from "@hawser/wire/internal";
import type { Fleet } from "../connect.ts";
import { toFleetError } from "../fault.ts";
import { fleetLimits } from "../limits.ts";
import { toServiceSubjects } from "../subjects.ts";
import { toClientHeaders, type CallingClient } from "./calling-client.ts";
import { noMachine, type LiveTools } from "./live-tools.ts";

export interface FleetCall {
  readonly params: CallToolParams;
  /** The MCP client, as it named itself. */
  readonly client?: CallingClient | undefined;
  readonly signal: CancelSignal;
  onProgress(progress: { readonly progress: number; readonly total?: number | undefined; readonly message?: string | undefined }): void;
  onLog(log: { readonly level: LogLevel; readonly message: string }): void;
}

export interface FleetResult {
  readonly result: ToolResult;
  /** The message that brought it. */
  readonly text: string;
}

interface Pending extends FleetCall {
  readonly digest: string;
  heardAt: number;
  settle(outcome: FleetResult | HawserError): void;
}

/** The error that a machine answered with; `type` is the class that it named. */
export class MachineError extends HawserError {
  readonly type: string;
  constructor({ message, type }: IPCErrorPayload) {
    super("tool_failed", message, { facts: { type } });
    this.type = type;
  }
}

export function createFleetCalls(fleet: Fleet, service: string, tools: LiveTools) {
  const { connection } = fleet;
  const subjects = toServiceSubjects(service);
  const inbox = fleet.createInbox();
  const pending = new Map<string, Pending>();
  let count = 0;

  function take(message: Msg): void {
    const call = pending.get(message.subject);
    // The end of a call that was given up.
    if (!call) return;
    if (message.headers?.code === 503) {
      tools.forget(call.digest);
      return call.settle(noMachine(service));
    }
    call.heardAt = performance.now();
    // Empty: it still runs.
    if (message.data.length === 0) return;
    try {
      const text = message.string();
      const answer = readAnswer(text);
      if ("progress" in answer) call.onProgress(answer.progress);
      else if ("log" in answer) call.onLog(answer.log);
      else call.settle("error" in answer ? new MachineError(answer.error) : { result: answer.result, text });
    } catch (error) {
      call.settle(toHawserError(error, "invalid_message"));
    }
  }

  const answers = fleet.listen(`${inbox}.*`, take);

  /** Looked at for all calls together: a timer for each would cost more than the call. */
  const silence = setInterval(() => {
    const before = performance.now() - fleetLimits.fleetSilenceMs;
    const silent = Array.from(pending.values()).filter((call) => call.heardAt < before);
    if (silent.length === 0) return;
    // Timers run before input is read: what came while this process itself stood still is let in first.
    setImmediate(() => {
      for (const call of silent) if (call.heardAt < before) call.settle(unknownOutcome(service, call.params.name));
    });
  }, fleetLimits.fleetBeatMs / 2);
  silence.unref();

  // Nothing was sent: there is no need to wait for silence.
  const stopWatching = fleet.onRefusal((refusal) => {
    for (const call of pending.values())
      if (refusal.subject === subjects.call(call.digest)) call.settle(toFleetError(refusal, fleet.servers));
  });

  function send(call: FleetCall, digest: string): Promise<FleetResult> {
    const text = toJsonText({ method: "call_tool", params: call.params });
    const headers = toClientHeaders(call.client);
    // The server counts headers too.
    const bytes = Buffer.byteLength(text) + (headers?.encodedBytes ?? 0);
    if (bytes > fleet.maxPayload) throw tooLarge("message", bytes, fleet.maxPayload);
    const reply = `${inbox}.${(count += 1)}`;
    const { promise, resolve, reject } = Promise.withResolvers<FleetResult>();
    const giveUp = (): void => {
      fleet.say(subjects.cancel, reply);
      settle(toHawserError(call.signal.reason, "cancelled"));
    };
    const settle = (outcome: FleetResult | HawserError): void => {
      if (!pending.delete(reply)) return;
      call.signal.removeEventListener("abort", giveUp);
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    };
    pending.set(reply, { ...call, digest, heardAt: performance.now(), settle });
    call.signal.addEventListener("abort", giveUp);
    fleet.say(subjects.call(digest), text, reply, headers?.headers);
    return promise;
  }

  return {
    /** Rejects with HawserError; `MachineError` is what the function's machine said. */
    async call(call: FleetCall): Promise<FleetResult> {
      if (call.signal.aborted) throw call.signal.reason;
      if (connection.isClosed()) throw new HawserError("closed", "the connection to the fleet was closed");
      const { current } = tools;
      if (!current) throw noMachine(service);
      return send(call, current.digest);
    },
    close(): void {
      clearInterval(silence);
      stopWatching();
      for (const call of pending.values()) call.settle(new HawserError("closed", "the connection to the fleet was closed"));
      answers.unsubscribe();
    },
  };
}

const unknownOutcome = (service: string, tool: string): HawserError =>
  new HawserError(
    "unknown_outcome",
    `nothing was heard of ${tool} on "${service}" for ${fleetLimits.fleetSilenceMs / 1_000} s: its machine may be gone. It may have run; look before you call it again`,
  );

/** Throws `invalid_message`. */
function readAnswer(text: string): BridgeResponse {
  const value = parseJsonText(text);
  keepNumbers(isRecord(value) ? value["result"] : undefined, text, ["result"]);
  return bridgeProtocol.parseResponse(value);
}
