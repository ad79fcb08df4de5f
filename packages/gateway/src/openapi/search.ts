// What listings ask of an index: by path, by text, and counts. All on summaries, which are in memory.

import type { OperationSummary } from "./operation.ts";

export interface Count {
  readonly name: string;
  readonly count: number;
}

export interface OperationStats {
  readonly total: number;
  readonly methods: readonly Count[];
  readonly tags: readonly Count[];
  readonly pathPrefixes: readonly Count[];
}

type Operations = readonly OperationSummary[];

/** Operations that hold every word of the text, in any member and without case; those with it in id or path come first. */
export function searchOperations({ operations }: { readonly operations: Operations }, text: string): OperationSummary[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const scored = operations.flatMap((operation) => {
    const name = `${operation.operationId ?? ""}\n${operation.path}`.toLowerCase();
    const all = `${name}\n${operation.method}\n${operation.summary ?? ""}\n${operation.tags.join("\n")}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) return [];
    return [{ operation, inName: words.filter((word) => name.includes(word)).length }];
  });
  return scored.sort((one, other) => other.inName - one.inName).map(({ operation }) => operation);
}

/** Operations of exactly this path. */
export function filterByPath({ operations }: { readonly operations: Operations }, path: string): OperationSummary[] {
  const wanted = path.trim();
  return operations.filter((operation) => operation.path === wanted);
}

/** Operations whose path contains the text, without case. */
export function filterByPathPart({ operations }: { readonly operations: Operations }, part: string): OperationSummary[] {
  const wanted = part.trim().toLowerCase();
  return operations.filter((operation) => operation.path.toLowerCase().includes(wanted));
}

/** Every tag once, in order. */
export function tagsOf({ operations }: { readonly operations: Operations }): string[] {
  return [...new Set(operations.flatMap(({ tags }) => tags.map((tag) => tag.trim())))].filter(Boolean).sort();
}

export function statsOf({ operations }: { readonly operations: Operations }): OperationStats {
  return {
    total: operations.length,
    methods: counted(operations.map(({ method }) => method)),
    tags: counted(operations.flatMap(({ tags }) => tags)),
    pathPrefixes: counted(operations.map(({ path }) => `/${path.split("/")[1] ?? ""}`)),
  };
}

/** The most frequent first. */
function counted(names: readonly string[]): Count[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
}
