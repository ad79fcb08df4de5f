// What the audit log keeps of a call's input: a digest of all of it, and a short preview from which secrets
// are taken out. Long texts are only counted, members with telling names are left out, and so is whatever
// looks like a credential or is known to be one.

import { createHash } from "node:crypto";
import { cutText, isRecord, limits } from "@hawser/wire";

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

export interface InputPreview {
  /** SHA-256 of the input as JSON. */
  readonly digest: string;
  readonly preview: string;
}

export function previewInput(input: unknown, hide: Hide): InputPreview {
  const text = JSON.stringify(input) ?? "null";
  const shown = JSON.stringify(shorten(input, hide, 0)) ?? "null";
  return { digest: createHash("sha256").update(text).digest("hex"), preview: cutText(shown, limits.auditPreviewChars) };
}

const maxMembers = 20;
const maxDepth = 4;

function shorten(value: unknown, hide: Hide, depth: number): unknown {
  if (typeof value === "string") return value.length > shownChars ? `[${value.length} characters]` : redact(value, hide);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxDepth) return "[…]";
  if (Array.isArray(value)) return value.slice(0, maxMembers).map((item, at) => shortenArgument(item, value[at - 1], { hide, depth }));
  const entries = Object.entries(isRecord(value) ? value : {}).slice(0, maxMembers);
  return Object.fromEntries(
    entries.map(([name, item]) => [
      redact(cutText(name, shownChars), hide),
      tellingName.test(name) ? redacted : shorten(item, hide, depth + 1),
    ]),
  );
}

/** `--token abc`: the argument after a telling name is what the name says. */
function shortenArgument(item: unknown, before: unknown, { hide, depth }: { hide: Hide; depth: number }): unknown {
  const isTold = typeof before === "string" && before.startsWith("-") && !before.includes("=") && tellingName.test(before);
  return isTold ? redacted : shorten(item, hide, depth + 1);
}

const redact = (text: string, hide: Hide): string =>
  credentialPatterns.reduce((rest, pattern) => rest.replaceAll(pattern, redacted), hide(text));
