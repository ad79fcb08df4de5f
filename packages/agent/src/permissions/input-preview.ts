// What the audit log keeps of a call's input: a digest of all of it, and a short preview from which secrets
// are taken out. Long texts are only counted, members with telling names are left out, and so is whatever
// looks like a credential or is known to be one.

import { createHash } from "node:crypto";
import { isRecord, limits } from "@hawser/wire";

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
const left = "[left out]";

export interface InputPreview {
  /** SHA-256 of the input as JSON. */
  readonly digest: string;
  readonly preview: string;
}

export function previewInput(input: unknown, secrets: readonly string[]): InputPreview {
  const text = JSON.stringify(input) ?? "null";
  const shown = JSON.stringify(shorten(input, secrets, 0)) ?? "null";
  const preview = shown.length > limits.auditPreviewChars ? `${shown.slice(0, limits.auditPreviewChars).toWellFormed()}…` : shown;
  return { digest: createHash("sha256").update(text).digest("hex"), preview };
}

const maxMembers = 20;
const maxDepth = 4;

function shorten(value: unknown, secrets: readonly string[], depth: number): unknown {
  if (typeof value === "string") return value.length > shownChars ? `[${value.length} characters]` : redact(value, secrets);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxDepth) return "[…]";
  if (Array.isArray(value)) return value.slice(0, maxMembers).map((item, at) => shortenArgument(item, value[at - 1], { secrets, depth }));
  const entries = Object.entries(isRecord(value) ? value : {}).slice(0, maxMembers);
  return Object.fromEntries(
    entries.map(([name, item]) => [
      redact(name.slice(0, shownChars), secrets),
      tellingName.test(name) ? left : shorten(item, secrets, depth + 1),
    ]),
  );
}

/** `--token abc`: the argument after a telling name is what the name says. */
function shortenArgument(item: unknown, before: unknown, { secrets, depth }: { secrets: readonly string[]; depth: number }): unknown {
  const isTold = typeof before === "string" && before.startsWith("-") && !before.includes("=") && tellingName.test(before);
  return isTold ? left : shorten(item, secrets, depth + 1);
}

function redact(text: string, secrets: readonly string[]): string {
  let result = text;
  for (const secret of secrets) if (secret.length >= 6) result = result.replaceAll(secret, left);
  for (const pattern of credentialPatterns) result = result.replaceAll(pattern, left);
  return result;
}

/** The values in an environment that are secrets by their names. */
export function secretsOf(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value && /key|token|secret|passw|credential|auth/i.test(name) ? [value] : [],
  );
}
