// One line of JSON for every decision about a tool call, in a file that only its owner reads. Bounded: a
// full file becomes `.1`, and what waits to be written is bounded too. Writing never holds up a turn nor
// fails one; when it does not work, stderr is told once.

import { constants } from "node:fs";
import { open, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { cutText, describeThrown, limits } from "@hawser/wire";
import { logLine, makeFolder } from "@hawser/wire/node";
import { createHiding, secretsIn } from "../hide-secrets.ts";
import { codeOf } from "../tools/files/file-errors.ts";
import { previewInput } from "./input-preview.ts";
import type { Outcome, ToolCall } from "./policy.ts";

export interface AuditDecision extends Outcome {
  /** Which rule, or why it was asked. */
  readonly rule?: string | undefined;
}

export interface AuditLog {
  write(call: ToolCall, decision: AuditDecision): void;
  /** Resolves when what was written is in the file. */
  close(): Promise<void>;
}

export interface AuditLogOptions {
  readonly path: string;
  /** Never to be seen in the file, besides what the environment holds. */
  readonly secrets?: readonly string[] | undefined;
  readonly maxBytes?: number | undefined;
}

export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { path, maxBytes = limits.auditLogBytes } = options;
  const hide = createHiding([...(options.secrets ?? []), ...secretsIn(process.env)], minSecretChars);
  let waiting: string[] = [];
  let dropped = 0;
  let hasFailed = false;
  let writing: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      if (dropped > 0) lines.push(toLine({ time: new Date().toISOString(), dropped }));
      dropped = 0;
      await appendLines(path, lines.join(""), maxBytes).catch(tellOnce);
    }
    writing = undefined;
  }

  function tellOnce(error: unknown): void {
    if (!hasFailed) logLine(`[hawser] the audit log ${path} can't be written: ${describeThrown(error)}`);
    hasFailed = true;
  }

  return {
    write(call, { decision, by, via, rule }) {
      if (waiting.length >= limits.auditQueuedEntries) {
        dropped++;
        return;
      }
      const { conversationId, toolId, toolName, input } = call;
      const place = { conversationId: short(conversationId), toolId: short(toolId), toolName: short(toolName) };
      const { digest, preview } = previewInput(input, hide);
      waiting.push(
        toLine({ time: new Date().toISOString(), ...place, digest, preview, decision, via, by: short(by), rule: rule && short(rule) }),
      );
      writing ??= drain();
    },
    async close() {
      await writing;
    },
  };
}

/** Shorter than elsewhere: a preview with a hole in a common word is no loss. */
const minSecretChars = 6;

const short = (text: string): string => cutText(text, limits.auditPreviewChars);
const toLine = (entry: object): string => `${JSON.stringify(entry)}\n`;

async function appendLines(path: string, lines: string, maxBytes: number): Promise<void> {
  await makeFolder(dirname(path));
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  if (size > 0 && size + Buffer.byteLength(lines) > maxBytes) await rename(path, `${path}.1`).catch(ignoreMissing);
  // Not through a link, nor into a pipe that nobody reads.
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags, 0o600);
  try {
    await file.writeFile(lines);
  } finally {
    await file.close();
  }
}

/** Another process has made room just then. */
function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== "ENOENT") throw error;
}
