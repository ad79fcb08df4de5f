// Why a turn of an agent failed, in words that say what to do.

import { RequestError } from "@agentclientprotocol/sdk";
import { describeThrown, HawserError, isRecord, quoteShort, toErrorText } from "@hawser/protocol/internal";
import type { AuthMethod, StopReason } from "@agentclientprotocol/sdk";
import { notAcp } from "../connection/agent-process.ts";
import type { AgentDefinition } from "./known-agents.ts";

const authRequired = -32_000;

/** `methods`: the ways to log in that the agent has named. */
export function toAgentError(error: unknown, agent: AgentDefinition, methods: readonly AuthMethod[] = []): HawserError {
  if (HawserError.isInstance(error)) return error;
  if (!(error instanceof RequestError))
    return new HawserError("model_failed", toErrorText(`${agent.name}: ${describeThrown(error)}`), { cause: error });
  const details = isRecord(error.data) ? (error.data["details"] ?? error.data["message"]) : error.data;
  if (error.code === authRequired || agent.saysNotReady?.test(String(details)))
    return new HawserError("usage", toErrorText(notLoggedIn(agent, methods)), { cause: error });
  const more = typeof details === "string" && !error.message.includes(details) ? ` (${quoteShort(details, 500)})` : "";
  return new HawserError("model_failed", toErrorText(`${agent.name} says: ${error.message}${more}`), { cause: error });
}

function notLoggedIn({ name, login, command, args }: AgentDefinition, methods: readonly AuthMethod[]): string {
  if (login !== undefined) return `${name} is not logged in; ${login}`;
  const terminal = methods.find((method) => "type" in method && method.type === "terminal");
  if (terminal && "args" in terminal) return `${name} is not logged in; run: ${[command, ...args, ...(terminal.args ?? [])].join(" ")}`;
  const ways = methods.map(({ name: title, description }) => (description ? `${title} (${description})` : title)).join(", ");
  return `${name} is not logged in; log in with its own program${ways === "" ? "" : `. It knows: ${ways}`}`;
}

/** Nothing for a turn that is complete. What a model's answer would be an error for is one here too. */
export function checkStop(answer: unknown, name: string, wasRefused: boolean): void {
  const stopReason = isRecord(answer) ? (answer["stopReason"] as StopReason) : undefined;
  switch (stopReason) {
    case "end_turn":
      return;
    case "max_tokens":
      throw new HawserError("model_failed", `${name}: the answer was cut off at the model's output limit; ask it to go on`);
    case "max_turn_requests":
      throw new HawserError("overloaded", `${name} took as many steps as it may in one turn; ask it to go on`);
    case "refusal":
      throw new HawserError("model_failed", `${name} refused to answer this message, and has dropped it; ask for something else`);
    case "cancelled":
      // Codex ends its turn when the user says no: that is an end, not a failure.
      if (wasRefused) return;
      throw new HawserError("cancelled", `cancelled by ${name} itself`);
    case undefined:
      throw notAcp(name, "session/prompt");
    default:
      throw new HawserError("model_failed", `${name} stopped for a reason that is not known here: ${quoteShort(String(stopReason), 100)}`);
  }
}
