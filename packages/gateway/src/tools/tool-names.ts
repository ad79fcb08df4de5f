// Names that every MCP client takes for operations that may be called anything: letters, digits,
// `_` and `-`, at most 64 of them, unique without case.

import { createHash } from "node:crypto";
import type { OperationSummary } from "../openapi/operation.ts";

const maxNameChars = 64;

export function nameTools(operations: readonly OperationSummary[]): Map<string, OperationSummary> {
  const named = new Map<string, OperationSummary>();
  const taken = new Set<string>();
  for (const operation of operations) {
    const name = firstFree(toName(operation.operationId ?? ""), taken);
    taken.add(name.toLowerCase());
    named.set(name, operation);
  }
  return named;
}

function toName(text: string): string {
  const name = text.replaceAll(/[^A-Za-z0-9_-]+/g, "_").replaceAll(/^_+|_+$/g, "") || "operation";
  if (name.length <= maxNameChars) return name;
  // Long ids often differ at their end only.
  return `${name.slice(0, maxNameChars - 9)}_${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;
}

function firstFree(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name.toLowerCase())) return name;
  for (let count = 2; ; count++) {
    const ending = `_${count}`;
    const candidate = `${name.slice(0, maxNameChars - ending.length)}${ending}`;
    if (!taken.has(candidate.toLowerCase())) return candidate;
  }
}
