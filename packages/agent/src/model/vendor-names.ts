// Names and ids in the form that every vendor takes: letters, digits, `_` and `-`, not too long. Tools
// and earlier calls may come from anywhere (an MCP server, another model), and one name that a vendor
// does not like would make it refuse the whole conversation.

import type { ModelTool } from "./model.ts";

// The shortest of the vendors' bounds.
const maxNameChars = 64;
const maxIdChars = 40;

export interface ToolNames {
  /** The name that the vendor sees. */
  toVendor(name: string): string;
  /** The tool that the vendor means; its own word if there is none. */
  fromVendor(name: string): string;
}

export function createToolNames(tools: readonly ModelTool[]): ToolNames {
  const taken = createUniqueNames(maxNameChars);
  // Names that may stay as they are do so, whatever comes before them.
  const kept = tools.filter(({ name }) => safe(name, maxNameChars) === name);
  const changed = tools.filter(({ name }) => safe(name, maxNameChars) !== name);
  const toVendor = new Map([...kept, ...changed].map(({ name }) => [name, taken(name)]));
  const fromVendor = new Map([...toVendor].map(([name, vendorName]) => [vendorName, name]));
  return {
    toVendor: (name) => toVendor.get(name) ?? safe(name, maxNameChars),
    fromVendor: (name) => fromVendor.get(name) ?? name,
  };
}

/** For the ids of calls in one conversation: each is safe, and another one than all before. */
export const createUniqueIds = (): ((wanted: string) => string) => createUniqueNames(maxIdChars);

function createUniqueNames(maxChars: number): (wanted: string) => string {
  const taken = new Set<string>();
  return (wanted) => {
    const base = safe(wanted, maxChars);
    let name = base;
    for (let count = 2; taken.has(name); count++) name = `${base.slice(0, maxChars - String(count).length - 1)}_${count}`;
    taken.add(name);
    return name;
  };
}

function safe(text: string, maxChars: number): string {
  const name = text.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxChars);
  return name === "" ? "unnamed" : name;
}
