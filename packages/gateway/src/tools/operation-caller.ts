// How a tool makes its call through the call core, and what a model gets back: the body as text, and as structured content
// where it is a JSON object. What the API or the arguments did wrong is an error result, never thrown.

import { describeThrown, type CallItem, cutText, protocolLimits } from "@hawser/protocol/internal";
import { exceedsDepth, findAlteredNumber, wireLimits } from "@hawser/wire/internal";
import type { CallCore, CallOutcome, CallResponse } from "../call.ts";
import type { OperationIndex, OperationSummary } from "../openapi/operation.ts";
import { isMutating } from "../request/call-item.ts";
import { toOperationInput, type OperationInput } from "./operation-input.ts";

export interface OperationCaller {
  /** Of the API. */
  readonly title: string;
  inputOf(operation: OperationSummary): Promise<OperationInput>;
  call(operation: OperationSummary, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<OperationResult>;
}

export function createOperationCaller(index: OperationIndex, core: CallCore, tokenHeader: string | undefined): OperationCaller {
  const inputOf = async (operation: OperationSummary): Promise<OperationInput> =>
    toOperationInput(await index.describe(operation), index.securitySchemes, tokenHeader);

  async function call(operation: OperationSummary, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<OperationResult> {
    try {
      const input = await inputOf(operation);
      const item: CallItem = { op: operation.operationId, ...input.toCall(args), ...(isMutating(operation.method) && { yes: true }) };
      return toOperationResult(await core.call(item, { signal }));
    } catch (error) {
      return toFailedResult(describeThrown(error));
    }
  }
  return { title: index.title, inputOf, call };
}

/** A whole MCP tool result. */
export interface OperationResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

const text = (value: string): OperationResult["content"] => [{ type: "text", text: value }];

// Room for the result and the protocol's envelopes around it.
const maxBodyDepth = wireLimits.maxWriteDepth - 8;

function toOperationResult(outcome: CallOutcome): OperationResult {
  if (!outcome.ok) return toFailedResult(describeFailure(outcome));
  const { response } = outcome;
  if (!response) return { content: text(`status ${outcome.status}`) };
  const structured = toStructured(response);
  const notice = response.truncated ? `\n[cut off after ${response.bytes} bytes; ask for less]` : "";
  const encoding = response.bodyEncoding === "base64" ? "[base64 of bytes that are not text]\n" : "";
  const shown = response.body === "" ? `status ${response.status}, no body` : `${encoding}${response.body}${notice}`;
  return { content: text(shown), ...(structured && { structuredContent: structured }) };
}

export const toFailedResult = (message: string): OperationResult => ({ content: text(message), isError: true });

function describeFailure({ error, errorInfo, response }: CallOutcome): string {
  const said = cutText(response?.body ?? "", protocolLimits.maxErrorTextChars);
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
