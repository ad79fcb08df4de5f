// Which session of the command line holds which conversation, so that its next message resumes that session instead of
// telling it everything again. A conversation is known by what was said in it, not by an id, since the AI SDK
// has none. Resuming makes a copy, so that a caller who goes back to an earlier message finds the session as it was there.

import { createHash } from "node:crypto";
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { createRecentMap } from "@hawser/wire/internal";
import { claudeCodeLimits } from "../limits.ts";

export interface KnownSession {
  readonly sessionId: string;
  /** What it has cost so far. */
  readonly costUsd: number;
}

export function createConversations() {
  const sessions = createRecentMap<KnownSession>(claudeCodeLimits.claudeSessionEntries);
  return {
    /** The session that ends where this begins; undefined if it isn't known. */
    find: (earlier: LanguageModelV4Prompt): KnownSession | undefined =>
      earlier.length === 0 ? undefined : sessions.get(fingerprint(earlier)),
    /** The session holds this prompt and the answer to it. */
    remember(prompt: LanguageModelV4Prompt, answer: string, session: KnownSession): void {
      sessions.set(fingerprint([...prompt, { role: "assistant", content: [{ type: "text", text: answer }] }]), session);
    },
    /** The session of this conversation can't be resumed. */
    forget: (earlier: LanguageModelV4Prompt): void => void sessions.delete(fingerprint(earlier)),
  };
}

/** Who said what and which tools were called. Blanks don't count: programs trim what they keep. */
function fingerprint(prompt: LanguageModelV4Prompt): string {
  const said = prompt.filter(({ role }) => role !== "system").map(describe);
  return createHash("sha256").update(JSON.stringify(said)).digest("base64");
}

function describe({ role, content }: LanguageModelV4Message): unknown[] {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const calls = parts.flatMap((part) => (part.type === "tool-call" || part.type === "tool-result" ? [part.toolCallId] : []));
  const files = parts.flatMap((part) => (part.type === "file" ? [part.mediaType] : []));
  return [role, texts.replaceAll(/\s+/g, ""), calls, files];
}
