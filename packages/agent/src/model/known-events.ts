// Vendors add kinds of events, blocks and items as they like, and ask clients to ignore what they don't know. The
// provider packages end the answer over one instead. So each line of the stream is looked at on its way, and one of an
// unknown kind is left out and logged once. A line of a known kind that is broken passes: the package says so.

import { isRecord, quoteShort } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";
import { createAccumulator, logLine } from "@hawser/wire/internal/node";
import type { BodyFilter } from "../bounded-response.ts";

// What an answer of ours is made of, in the three interfaces that are spoken here. Other things that a vendor offers
// (searches, code that it runs itself) are not asked for.
const events = new Set([
  ...["message_start", "message_delta", "message_stop", "content_block_start", "content_block_delta", "content_block_stop", "error"],
  ...["response.created", "response.queued", "response.in_progress", "response.completed", "response.incomplete", "response.failed"],
  ...["response.output_item.added", "response.output_item.done", "response.content_part.added", "response.content_part.done"],
  ...["response.output_text.delta", "response.output_text.done", "response.refusal.delta", "response.refusal.done"],
  ...["response.function_call_arguments.delta", "response.function_call_arguments.done"],
  ...["response.reasoning_summary_part.added", "response.reasoning_summary_part.done", "response.reasoning_summary_text.delta"],
  ...["response.reasoning_summary_text.done", "response.reasoning_text.delta", "response.reasoning_text.done"],
]);
const blocks = new Set(["text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use"]);
const deltas = new Set(["text_delta", "thinking_delta", "signature_delta", "input_json_delta"]);
const items = new Set(["message", "function_call", "reasoning"]);

/** Known, and of no use here: sources of a text, results of a vendor's own tools, signs of life. They are left out and not logged. */
const isUnused = (kind: string): boolean =>
  /^(ping|keepalive|citations_delta|response\.output_text\.annotation\.added)$|_tool_result$/.test(kind);

/** Logs each kind once, and not more of them than the limit: a server may invent as many as it likes. */
export function noteUnknownKind(kind: string, seen: Set<string>, hide: (text: string) => string): void {
  const shown = quoteShort(kind, 80);
  if (seen.has(shown) || seen.size >= agentLimits.modelUnknownEntries) return;
  seen.add(shown);
  logLine(`[hawser] agent: the model's server sent something of an unknown kind, which is ignored: ${hide(shown)}`);
}

/** Leaves events of unknown kinds out of a stream of server-sent events. */
export function createEventFilter(onUnknown: (kind: string) => void): BodyFilter {
  const isWanted = createJudge(onUnknown);
  const unfinished = createAccumulator();
  return {
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const end = bytes.lastIndexOf(lineFeed) + 1;
      const rest = bytes.subarray(end);
      let lines = bytes.subarray(0, end);
      if (end > 0 && unfinished.length > 0) {
        unfinished.add(lines);
        lines = unfinished.take();
      }
      if (rest.length > 0) unfinished.add(rest);
      return keptLines(lines, isWanted);
    },
    end: () => unfinished.take(),
  };
}

const lineFeed = 0x0a;
const beginning = Buffer.from("data:");

/** Whole lines, without those that are not wanted: an event without data is ignored by parsers. Nearly always all of them, as they are. */
function keptLines(lines: Buffer, isWanted: (event: unknown) => boolean): Buffer {
  const kept: Buffer[] = [];
  let keptUntil = 0;
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(lineFeed, start) + 1;
    if (isData(lines, start) && !isWanted(parsed(lines, start, end))) {
      kept.push(lines.subarray(keptUntil, start));
      keptUntil = end;
    }
    start = end;
  }
  return keptUntil === 0 ? lines : Buffer.concat([...kept, lines.subarray(keptUntil)]);
}

const isData = (lines: Buffer, at: number): boolean => lines.compare(beginning, 0, 5, at, Math.min(at + 5, lines.length)) === 0;

/** Undefined for data that isn't JSON, such as `[DONE]`. */
function parsed(lines: Buffer, start: number, end: number): unknown {
  try {
    return JSON.parse(lines.toString("utf8", start + beginning.length, end));
  } catch {
    return undefined;
  }
}

/** Which events of one answer are let through. What belongs to a block or an item that was left out is left out with it. */
function createJudge(onUnknown: (kind: string) => void): (event: unknown) => boolean {
  const leftOut = new Set<unknown>();

  return (event) => {
    // Chat Completions know one kind: a chunk with choices. An error is one everywhere.
    if (!isRecord(event) || "choices" in event || (event["error"] ?? undefined) !== undefined) return true;
    const place = event["index"] ?? event["output_index"];
    if (place !== undefined && leftOut.has(place)) return false;
    const unknown = unknownKindIn(event);
    if (unknown === undefined) return true;
    if (event["type"] === "content_block_start" || event["type"] === "response.output_item.added") leftOut.add(place);
    if (!isUnused(unknown)) onUnknown(unknown);
    return false;
  };
}

function unknownKindIn({ type, content_block: block, delta, item }: Readonly<Record<string, unknown>>): string | undefined {
  if (type === undefined) return "an event without a type";
  if (typeof type !== "string") return undefined;
  if (!events.has(type)) return type;
  if (type === "content_block_start") return kindBeyond(blocks, block);
  if (type === "content_block_delta") return kindBeyond(deltas, delta);
  return type.startsWith("response.output_item.") ? kindBeyond(items, item) : undefined;
}

/** An event without a kind is broken, not unknown. */
function kindBeyond(known: ReadonlySet<string>, part: unknown): string | undefined {
  const kind = isRecord(part) ? part["type"] : undefined;
  return typeof kind === "string" && !known.has(kind) ? kind : undefined;
}
