// The tool calls of one turn, as ACP tells them in pieces: announced once, when their arguments are known, and at the latest
// when they are asked about or end; ended once. What is held of them is bounded.

import { cutText, HawserError, isRecord, toErrorText } from "@hawser/protocol/internal";
import type { DelegatedEvent, FileDiff, UseLocation } from "@hawser/agent";
import { isSettledWithin } from "@hawser/wire/internal";
import { acpLimits } from "../limits.ts";

/** A tool call with what is known of it until now. */
export interface ToolUse {
  readonly toolId: string;
  name: string | undefined;
  title: string | undefined;
  kind: string;
  input: unknown;
  locations: readonly UseLocation[];
  /** Text, images and the like, as MCP writes them: what was told last, also with a question. */
  blocks: readonly Readonly<Record<string, unknown>>[];
  diffs: readonly FileDiff[];
  output: unknown;
  state: "open" | "announced" | "ended";
  /** Resolves when it has been announced. */
  announcing: Promise<void> | undefined;
  /** What it holds of `acpHeldChars`, by the member of the protocol that brought it. */
  sizes: Readonly<Record<string, number>>;
}

export function createToolUses(agent: string, emit: (event: DelegatedEvent) => Promise<void>) {
  const uses = new Map<string, ToolUse>();
  /** Resolved for the questions that wait for what they are about. */
  const told = new Map<ToolUse, PromiseWithResolvers<void>>();
  let heldChars = 0;

  function find(toolId: string): ToolUse {
    const known = uses.get(toolId);
    if (known) return known;
    if (toolId.length > acpLimits.acpIdChars)
      throw new HawserError(
        "model_failed",
        `${agent} named a tool call with ${toolId.length} characters; at most ${acpLimits.acpIdChars} are possible`,
      );
    if (uses.size >= acpLimits.acpUseEntries)
      throw new HawserError("overloaded", `${agent} told of more than ${acpLimits.acpUseEntries} tool calls in one turn`);
    const use: ToolUse = { ...emptyUse, toolId };
    uses.set(toolId, use);
    return use;
  }

  /** False, and nothing is held, where it would be too much. What replaces something else counts for it. */
  function hold(use: ToolUse, sizes: ToolUse["sizes"]): boolean {
    const chars = heldChars + sumOf(sizes) - sumOf(use.sizes);
    if (chars > acpLimits.acpHeldChars) return false;
    heldChars = chars;
    use.sizes = sizes;
    return true;
  }

  function merge(use: ToolUse, update: Readonly<Record<string, unknown>>): void {
    const { name, title, kind, locations, content, rawInput, rawOutput } = update;
    const toolName = name ?? nameInMeta(update["_meta"]);
    if (typeof toolName === "string") use.name = cutText(toolName, 200);
    if (typeof title === "string" && title !== "") use.title = toErrorText(title);
    if (typeof kind === "string" && kind !== "") use.kind = cutText(kind, 40);
    if (Array.isArray(locations)) use.locations = locations.slice(0, acpLimits.acpLocationEntries).flatMap(toLocation);
    const given = Object.entries({ content, rawInput, rawOutput }).filter(([, value]) => value !== undefined && value !== null);
    if (!hold(use, { ...use.sizes, ...Object.fromEntries(given.map(([member, value]) => [member, JSON.stringify(value).length])) })) return;
    if (rawInput !== undefined && rawInput !== null) use.input = rawInput;
    if (rawOutput !== undefined && rawOutput !== null) use.output = rawOutput;
    if (!Array.isArray(content)) return;
    const diffs = content.flatMap(toDiff);
    const blocks = content.flatMap(toBlock);
    if (diffs.length > 0) use.diffs = diffs;
    if (blocks.length > 0) use.blocks = blocks;
  }

  /** Resolves when the use is announced, and at the latest after a moment. */
  async function whenTold(use: ToolUse): Promise<void> {
    const waiting = told.get(use) ?? Promise.withResolvers<void>();
    told.set(use, waiting);
    await isSettledWithin(waiting.promise, acpLimits.acpUntoldMs);
  }

  /** Once, however many ask for it; all of them wait until it is done. */
  function announce(use: ToolUse): Promise<void> {
    if (use.announcing) return use.announcing;
    use.state = "announced";
    told.get(use)?.resolve();
    told.delete(use);
    const { toolId, name, title, kind, input, locations } = use;
    use.announcing = emit({ type: "tool_use", toolId, toolName: name ?? kind, input: input ?? {}, title, kind, locations });
    return use.announcing;
  }

  /** `told`: the content of the update that ends it. What came before says what it does, not what came of it. */
  async function end(use: ToolUse, hasFailed: boolean, told: ToolUse["blocks"]): Promise<void> {
    await announce(use);
    use.state = "ended";
    const { toolId, diffs } = use;
    const result = resultOf(use, told);
    const error = hasFailed ? toErrorText(typeof result === "string" ? result : (JSON.stringify(result) ?? "it failed")) : undefined;
    hold(use, {});
    Object.assign(use, { input: undefined, output: undefined, locations: [], blocks: [], diffs: [] });
    await emit({ type: "tool_result", toolId, result: hasFailed ? null : result, error: error === "null" ? "it failed" : error, diffs });
  }

  return {
    /** A `tool_call` or `tool_call_update`. */
    async update(update: Readonly<Record<string, unknown>>): Promise<void> {
      const { toolCallId, status } = update;
      if (typeof toolCallId !== "string") return emit({ type: "life" });
      const use = find(toolCallId);
      if (hasEnded(use)) return emit({ type: "life" });
      merge(use, update);
      if (status === "completed" || status === "failed") {
        const { content } = update;
        return end(use, status === "failed", Array.isArray(content) ? content.flatMap(toBlock) : []);
      }
      if (isKnown(use.input)) return announce(use);
      await emit({ type: "life" });
    },
    /** What the agent asks about, announced. Undefined for a call that has ended. */
    async ask(call: Readonly<Record<string, unknown>>): Promise<ToolUse | undefined> {
      const use = find(String(call["toolCallId"]));
      // Codex may ask a moment before it tells what about.
      if (use.state === "open" && !call["title"] && !call["rawInput"]) await whenTold(use);
      if (hasEnded(use)) return undefined;
      merge(use, call);
      await announce(use);
      // It may have ended meanwhile.
      return hasEnded(use) ? undefined : use;
    },
    /** The turn is complete; those that were never announced are. */
    async end(): Promise<void> {
      for (const use of uses.values()) await announce(use);
    },
  };
}

const emptyUse = {
  name: undefined,
  title: undefined,
  kind: "other",
  input: undefined,
  locations: [],
  blocks: [],
  diffs: [],
  output: undefined,
  state: "open",
  announcing: undefined,
  sizes: {},
} as const;

const hasEnded = ({ state }: ToolUse): boolean => state === "ended";

const sumOf = (sizes: ToolUse["sizes"]): number => Object.values(sizes).reduce((sum, size) => sum + size, 0);

/** Some agents begin with no arguments and tell them a moment later. */
const isKnown = (input: unknown): boolean => input !== undefined && !(isRecord(input) && Object.keys(input).length === 0);

/** Where claude-agent-acp names the tool. */
function nameInMeta(meta: unknown): unknown {
  const ofClaude = isRecord(meta) ? meta["claudeCode"] : undefined;
  return isRecord(ofClaude) ? ofClaude["toolName"] : undefined;
}

/** As long as a path of Linux can be. */
const maxPathChars = 4_096;

function toLocation(value: unknown): UseLocation[] {
  if (!isRecord(value) || typeof value["path"] !== "string" || value["path"].length > maxPathChars) return [];
  return [{ path: value["path"], ...(typeof value["line"] === "number" && { line: value["line"] }) }];
}

function toDiff(value: unknown): FileDiff[] {
  if (!isRecord(value) || value["type"] !== "diff") return [];
  const { path, oldText, newText } = value;
  if (typeof path !== "string" || typeof newText !== "string") return [];
  return [{ path, newText, ...(typeof oldText === "string" && { oldText }) }];
}

function toBlock(value: unknown): Readonly<Record<string, unknown>>[] {
  const block = isRecord(value) && value["type"] === "content" ? value["content"] : undefined;
  return isRecord(block) && typeof block["type"] === "string" ? [block] : [];
}

/** The text where there is only text; else the blocks, as MCP has them; else what the agent calls its raw output. */
function resultOf({ output }: ToolUse, blocks: ToolUse["blocks"]): unknown {
  if (blocks.length === 0) return output ?? null;
  const texts = blocks.flatMap((block) => (block["type"] === "text" && typeof block["text"] === "string" ? [block["text"]] : []));
  return texts.length === blocks.length ? texts.join("\n") : { content: blocks };
}
