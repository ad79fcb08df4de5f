// What is wrong with a call whatever its user says: found before anything is asked, so that the user isn't asked in vain.

import type { Tool } from "@hawser/tools";

/** Throws for arguments that the tool would refuse in any case. */
type EarlyCheck = (args: Readonly<Record<string, unknown>>) => void;

const checks = new WeakMap<object, EarlyCheck>();

export function withEarlyCheck<Definition extends object>(tool: Definition, check: EarlyCheck): Definition {
  checks.set(tool, check);
  return tool;
}

export const checkEarly = (tool: Tool, args: Readonly<Record<string, unknown>>): void => checks.get(tool)?.(args);
