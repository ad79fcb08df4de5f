// One line of JSON for every decision about a tool call, in a file that only its owner reads. Bounded: a
// full file becomes `.1`, and what waits to be written is bounded too. Writing never holds up a turn nor
// fails one; when it does not work, stderr is told once.

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { cutText, describeThrown, isRecord } from "@hawser/protocol/internal";
import { logLine, makeFolder } from "@hawser/wire/internal/node";
import { createHiding, secretsIn } from "../hide-secrets.ts";
import { agentLimits } from "../limits.ts";
import type { Outcome, ToolCall } from "./policy.ts";
import type { CommandRun } from "../tools/files/permit.ts";
import { codeOf } from "../tools/files/file-errors.ts";

export interface AuditDecision extends Outcome {
  /** Which rule, or why it was asked. */
  readonly rule?: string | undefined;
  /** Of a command: how and where it runs. */
  readonly runs?: CommandRun | undefined;
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
  const { path, maxBytes = agentLimits.auditLogBytes } = options;
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
    write(call, { decision, by, via, rule, runs }) {
      if (waiting.length >= agentLimits.auditQueuedEntries) {
        dropped++;
        return;
      }
      const { conversationId, toolId, toolName, input } = call;
      const place = { conversationId: short(conversationId), toolId: short(toolId), toolName: short(toolName) };
      const digest = createHash("sha256")
        .update(JSON.stringify(input) ?? "null")
        .digest("hex");
      const preview = short(JSON.stringify(shorten(input, hide, 0)) ?? "null");
      const how = { decision, via, by: short(by), rule: rule && short(rule), runs };
      waiting.push(toLine({ time: new Date().toISOString(), ...place, digest, preview, ...how }));
      writing ??= drain();
    },
    async close() {
      await writing;
    },
  };
}

/** Shorter than elsewhere: a hole in a common word does a preview no harm. */
const minSecretChars = 6;

const short = (text: string): string => cutText(text, agentLimits.auditPreviewChars);
const toLine = (entry: object): string => `${JSON.stringify(entry)}\n`;

async function appendLines(path: string, lines: string, maxBytes: number): Promise<void> {
  await makeFolder(dirname(path));
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  if (size > 0 && size + Buffer.byteLength(lines) > maxBytes)
    await rename(path, `${path}.1`).catch((error: unknown) => {
      // Another process has made room just then.
      if (codeOf(error) !== "ENOENT") throw error;
    });
  // Not through a link, nor into a pipe without a reader.
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  await using file = await open(path, flags, 0o600);
  await file.writeFile(lines);
}

const tellingName = /token|secret|passw|authorization|credential|api.?key|private.?key|cookie|bearer/i;
// Keys as vendors print them, and what follows a word that announces one.
const credentialPatterns: readonly RegExp[] = [
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{12,}/g,
  /\b(?:gh[pousr]|github_pat|glpat|xox[abeprs])[-_][A-Za-z0-9_-]{10,}/g,
  /\bAKIA[A-Z0-9]{12,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?/g,
  /(?<=\b(?:bearer|basic)\s{1,4})[^\s"',;]{6,}/gi,
  /(?<=(?:token|secret|password|passwd|api[-_]?key)["']?\s{0,4}[=:]\s{0,4}["']?)[^\s"',;&]+/gi,
  /(?<=:\/\/[^\s/:@]{0,100}:)[^\s/@]+(?=@)/g,
];
const shownChars = 120;
const redacted = "[redacted]";

/** Takes out what is known to be a secret. */
type Hide = (text: string) => string;

const maxMembers = 20;
const maxDepth = 4;

function shorten(value: unknown, hide: Hide, depth: number): unknown {
  if (typeof value === "string") return value.length > shownChars ? `[${value.length} characters]` : redact(value, hide);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxDepth) return "[…]";
  if (Array.isArray(value))
    return value.slice(0, maxMembers).map((item, at) => (isTold(value[at - 1]) ? redacted : shorten(item, hide, depth + 1)));
  const entries = Object.entries(isRecord(value) ? value : {}).slice(0, maxMembers);
  return Object.fromEntries(
    entries.map(([name, item]) => [
      redact(cutText(name, shownChars), hide),
      tellingName.test(name) ? redacted : shorten(item, hide, depth + 1),
    ]),
  );
}

/** `--token abc`: the argument after a telling name is what the name says. */
const isTold = (before: unknown): boolean =>
  typeof before === "string" && before.startsWith("-") && !before.includes("=") && tellingName.test(before);

const redact = (text: string, hide: Hide): string =>
  credentialPatterns.reduce((rest, pattern) => rest.replaceAll(pattern, redacted), hide(text));
