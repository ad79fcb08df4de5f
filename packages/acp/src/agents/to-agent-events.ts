// What an ACP agent tells of a turn (`session/update`), as our events. What isn't understood still shows that it lives.

import type { DelegatedEvent } from "@hawser/agent";
import { cutText, isRecord, type PlanData } from "@hawser/protocol/internal";
import type { createToolUses } from "./tool-uses.ts";

type Update = Readonly<Record<string, unknown>>;

export function createUpdateReader(emit: (event: DelegatedEvent) => Promise<void>, uses: ReturnType<typeof createToolUses>) {
  return (update: Update): Promise<void> => {
    switch (update["sessionUpdate"]) {
      case "agent_message_chunk":
        return emit({ type: "text", text: textOf(update["content"]) });
      case "agent_thought_chunk":
        return emit({ type: "reasoning", text: textOf(update["content"]) });
      case "tool_call":
      case "tool_call_update":
        return uses.update(update);
      case "plan":
        return emit({ type: "plan", entries: toEntries(update["entries"]) });
      case "usage_update":
        return emit({ type: "usage", ...toUsage(update) });
      case "session_info_update":
        return emit(typeof update["title"] === "string" ? { type: "title", title: update["title"] } : { type: "life" });
      case "notice":
        return emit({
          type: "notice",
          message: [update["title"], update["description"]].filter((text) => typeof text === "string").join(": "),
        });
      default:
        return emit({ type: "life" });
    }
  };
}

/** The text of a block; what else an answer may hold is named. */
function textOf(block: unknown): string {
  if (!isRecord(block)) return "";
  const { type, text, uri, name, mimeType } = block;
  if (typeof text === "string") return text;
  if (type === "resource_link") return `[${String(name)}](${String(uri)})`;
  return typeof type === "string" ? `[${cutText(type, 40)}${typeof mimeType === "string" ? `, ${cutText(mimeType, 80)}` : ""}]` : "";
}

const maxEntries = 200;
const maxEntryChars = 2_000;
const statuses: readonly PlanData["entries"][number]["status"][] = ["pending", "in_progress", "completed"];

function toEntries(entries: unknown): PlanData["entries"] {
  if (!Array.isArray(entries)) return [];
  return entries.slice(0, maxEntries).flatMap((entry: unknown) => {
    if (!isRecord(entry) || typeof entry["content"] !== "string") return [];
    const status = statuses.find((known) => known === entry["status"]) ?? "pending";
    return [{ content: cutText(entry["content"], maxEntryChars).toWellFormed(), status }];
  });
}

/** Some agents tell what the turn has used with its end. */
export function toUsedTokens(answer: unknown): DelegatedEvent {
  const usage = isRecord(answer) ? answer["usage"] : undefined;
  if (!isRecord(usage)) return { type: "life" };
  const inputTokens = count(usage["inputTokens"]);
  const outputTokens = count(usage["outputTokens"]);
  if (inputTokens === undefined && outputTokens === undefined) return { type: "life" };
  return { type: "usage", inputTokens, outputTokens, cachedInputTokens: count(usage["cachedReadTokens"]) };
}

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;

function toUsage({ used, size, cost }: Update) {
  const dollars = isRecord(cost) && cost["currency"] === "USD" ? cost["amount"] : undefined;
  // A window of 0 is one that the agent does not know.
  return { contextTokens: count(used), contextWindow: count(size) || undefined, costUsd: count(dollars) };
}
