// The messages of the command line as stream parts of the AI SDK, for one step. Text and reasoning go on as they are
// written; a call of a tool of the caller's is handed out when its arguments are complete; calls of the command line's
// own tools are shown as executed by the provider, with their results, and a blank line parts what is said before and after
// one. Characters are whole, wherever the model's stream was cut. What subagents say stays inside.

import type { JSONValue, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import { createTextGap, createWholeCharacters, isRecord, type WholeCharacters } from "@hawser/protocol/internal";
import { replaceHalfPairs } from "@hawser/wire/internal";
import type { SdkMessage } from "../agent-sdk.ts";
import { blocksOf, structuredOutputTool, toUsage } from "../result.ts";
import type { HandedCall } from "./handed-calls.ts";

type Part = LanguageModelV4StreamPart;

export type StepParts = Readonly<ReturnType<typeof createStepParts>>;

interface OpenBlock {
  readonly id: string;
  readonly kind: "text" | "reasoning" | "call" | "own-call" | "ignored";
  readonly toolName: string;
  readonly characters: WholeCharacters;
  json: string;
}

/**
 * `names` are the caller's tools, by the names that the command line knows them by. With `isTextHeld` text is not streamed:
 * an answer that has to fit a schema is read when all of it is there.
 */
export function createStepParts(names: ReadonlyMap<string, string>, isTextHeld: boolean) {
  const open = new Map<number, OpenBlock>();
  const calls: HandedCall[] = [];
  const ownCalls = new Map<string, string>();
  const input = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 };
  const output = { total: 0, text: undefined, reasoning: undefined };
  const gap = createTextGap();
  let blockCount = 0;

  function toBlock(block: Record<string, unknown>): OpenBlock {
    const { type, name, id } = block;
    const toolName = names.get(String(name));
    const fresh = { characters: createWholeCharacters(), json: "" };
    if (type === "tool_use" && toolName !== undefined) return { ...fresh, id: String(id), kind: "call", toolName };
    const isShown = type === "tool_use" && name !== structuredOutputTool;
    if (isShown) return { ...fresh, id: String(id), kind: "own-call", toolName: String(name) };
    const kind = type === "text" && !isTextHeld ? "text" : type === "thinking" ? "reasoning" : "ignored";
    return { ...fresh, id: `block-${++blockCount}`, kind, toolName: "" };
  }

  function begin(block: OpenBlock): Part[] {
    if (block.kind === "text" || block.kind === "reasoning") return [{ type: `${block.kind}-start`, id: block.id }];
    return block.kind === "call" ? [{ type: "tool-input-start", id: block.id, toolName: block.toolName }] : [];
  }

  const grow = (block: OpenBlock, piece: string): Part[] => add(block, block.characters.push(piece));

  function add(block: OpenBlock, text: string): Part[] {
    const { kind, id } = block;
    if (text === "") return [];
    if (kind === "text") {
      const delta = gap.before(text) + text;
      step.text += delta;
      return [{ type: "text-delta", id, delta }];
    }
    if (kind === "reasoning") return [{ type: "reasoning-delta", id, delta: text }];
    block.json += text;
    return kind === "call" ? [{ type: "tool-input-delta", id, delta: text }] : [];
  }

  const end = (block: OpenBlock): Part[] => [...add(block, block.characters.end()), ...close(block)];

  function close({ kind, id, toolName, json }: OpenBlock): Part[] {
    if (kind === "text" || kind === "reasoning") return [{ type: `${kind}-end`, id }];
    if (kind === "ignored") return [];
    const call = { toolCallId: id, toolName, input: json.trim() === "" ? "{}" : replaceHalfPairs(json) };
    if (kind === "call") {
      calls.push(call);
      return [
        { type: "tool-input-end", id },
        { type: "tool-call", ...call },
      ];
    }
    ownCalls.set(id, toolName);
    gap.interrupt();
    return [{ type: "tool-call", ...call, providerExecuted: true, dynamic: true }];
  }

  function onEvent(event: Record<string, unknown>): Part[] {
    const { type, index, content_block, delta } = event;
    const block = open.get(Number(index));
    if (type === "message_start") {
      step.isStreaming = true;
      count(isRecord(event["message"]) ? event["message"]["usage"] : undefined);
    } else if (type === "message_delta") count(event["usage"], true);
    else if (type === "message_stop") {
      step.isStreaming = false;
      step.isComplete = calls.length > 0;
    } else if (type === "content_block_start" && isRecord(content_block)) {
      const started = toBlock(content_block);
      open.set(Number(index), started);
      return begin(started);
    } else if (type === "content_block_delta" && block && isRecord(delta)) return grow(block, deltaText(delta));
    else if (type === "content_block_stop" && block) {
      open.delete(Number(index));
      return end(block);
    }
    return [];
  }

  /** A message's start tells what was read and what was cached; its end, what was written. */
  function count(usage: unknown, isEnd = false): void {
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = toUsage(isRecord(usage) ? usage : {});
    if (isEnd) output.total += outputTokens;
    else {
      input.noCache += inputTokens;
      input.cacheRead += cacheReadTokens;
      input.cacheWrite += cacheWriteTokens;
      input.total += inputTokens + cacheReadTokens + cacheWriteTokens;
    }
  }

  function onWhole(message: SdkMessage): Part[] {
    // Blocks that were streamed come once more as a whole message.
    if (step.isStreaming) return [];
    return blocksOf(message).flatMap((content) => {
      const block = toBlock(content);
      const said = block.toolName === "" ? deltaText(content) : JSON.stringify(content["input"] ?? {});
      return [...begin(block), ...grow(block, said), ...end(block)];
    });
  }

  function onResults(message: SdkMessage): Part[] {
    return blocksOf(message).flatMap((block): Part[] => {
      const toolCallId = String(block["tool_use_id"]);
      const toolName = ownCalls.get(toolCallId);
      if (block["type"] !== "tool_result" || toolName === undefined) return [];
      const result = (block["content"] ?? "") as NonNullable<JSONValue>;
      return [{ type: "tool-result", toolCallId, toolName, result, isError: block["is_error"] === true, dynamic: true }];
    });
  }

  const step = {
    /** Calls that were handed out in this step. */
    calls: calls as readonly HandedCall[],
    /** A message is being written; its end will come. */
    isStreaming: false,
    /** The model has said all that belongs to the message with these calls. */
    isComplete: false,
    /** What was said in this step. */
    text: "",
    /** Tokens of this step. */
    usage: { inputTokens: input, outputTokens: output } satisfies LanguageModelV4Usage,
    add(message: SdkMessage): Part[] {
      if (message["parent_tool_use_id"] !== null && message["parent_tool_use_id"] !== undefined) return [];
      if (message.type === "stream_event" && isRecord(message["event"])) return onEvent(message["event"]);
      // "Not logged in" and its like come as if the model had said it; the result tells it again, as an error.
      if (message.type === "assistant") return typeof message["error"] === "string" ? [] : onWhole(message);
      return message.type === "user" ? onResults(message) : [];
    },
  };
  return step;
}

function deltaText(delta: Record<string, unknown>): string {
  const text = delta["text"] ?? delta["thinking"] ?? delta["partial_json"];
  return typeof text === "string" ? text : "";
}
