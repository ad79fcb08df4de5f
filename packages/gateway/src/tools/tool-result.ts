// A call's outcome as a model gets it: the body as text, and as structured content where it is a JSON
// object; a failure as an error result that says the status, what the API said, and what to do.

import { cutText, exceedsDepth, findAlteredNumber, limits } from "@hawser/wire";
import type { CallOutcome, CallResponse } from "../call.ts";

/** A whole MCP tool result. */
export interface OperationResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

const text = (value: string): OperationResult["content"] => [{ type: "text", text: value }];

// Room for the result and the protocol's envelopes around it.
const maxBodyDepth = limits.maxWriteDepth - 8;

export function toOperationResult(outcome: CallOutcome): OperationResult {
  if (!outcome.ok) return { content: text(describeFailure(outcome)), isError: true };
  const { response } = outcome;
  if (!response) return { content: text(`status ${outcome.status}`) };
  const structured = toStructured(response);
  const notice = response.truncated ? `\n[cut off after ${response.bytes} bytes; ask for less]` : "";
  const encoding = response.bodyEncoding === "base64" ? "[base64 of bytes that are no text]\n" : "";
  const shown = response.body === "" ? `status ${response.status}, no body` : `${encoding}${response.body}${notice}`;
  return { content: text(shown), ...(structured && { structuredContent: structured }) };
}

export const toFailedResult = (message: string): OperationResult => ({ content: text(message), isError: true });

function describeFailure({ error, errorInfo, response }: CallOutcome): string {
  const body = response?.body ?? "";
  const said = cutText(body, limits.maxErrorTextChars);
  return [error ?? "the call failed", errorInfo?.hint && `hint: ${errorInfo.hint}`, said && `the API answered: ${said}`]
    .filter(Boolean)
    .join("\n");
}

function toStructured({ body, truncated, bodyEncoding }: CallResponse): Readonly<Record<string, unknown>> | undefined {
  if (truncated || bodyEncoding || !body.trimStart().startsWith("{") || exceedsDepth(body, maxBodyDepth)) return undefined;
  try {
    const value = JSON.parse(body) as Record<string, unknown>;
    // The text has every number as the API wrote it; a copy must not say something else.
    return findAlteredNumber(value, body) ? undefined : value;
  } catch {
    return undefined;
  }
}
