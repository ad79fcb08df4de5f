// A look at a value before the whole check, which takes most of the time of a small call. Only a yes counts: whatever it does not
// know, finds wrong or takes too many steps for goes through the check, which says what is wrong and lets other work go on.

import { isRecord } from "@hawser/protocol/internal";
import type { Run, SchemaObject } from "./checking.ts";
import { combiningKeywords } from "./combining-keywords.ts";
import { contentKeywords } from "./content-keywords.ts";
import { simpleKeywords } from "./simple-keywords.ts";

const maxSteps = 256;

/** Whether the value fits for sure. The references of the schema are known to be sound. */
export function surelyFits(schema: unknown, value: unknown): boolean {
  let steps = 0;
  const look: Pick<Run, "spend"> = { spend: (count) => (steps += count) > maxSteps };

  function fits(part: unknown, at: unknown): boolean {
    if (look.spend(1)) return false;
    if (!isRecord(part)) return part === true;
    for (const keyword of Object.keys(part)) {
      if (look.spend(1)) return false;
      const simple = simpleKeywords.get(keyword);
      if (simple ? simple(at, part[keyword], look) !== undefined : !passes(keyword, part, at)) return false;
    }
    return true;
  }

  function passes(keyword: string, part: SchemaObject, at: unknown): boolean {
    const argument = part[keyword];
    if (keyword === "properties") return !isRecord(argument) || !isRecord(at) || membersFit(argument, at);
    if (keyword === "required") return !Array.isArray(argument) || !isRecord(at) || argument.every((name) => hasMember(at, name));
    if (keyword === "additionalProperties") return argument === true || (argument === false && isRecord(at) && namesAll(part, at));
    if (keyword === "items") return isRecord(argument) && Array.isArray(at) && at.every((item) => fits(argument, item));
    if (keyword === "enum") return Array.isArray(argument) && typeof at === "string" && argument.includes(at);
    // What the check doesn't know asserts nothing.
    return !combiningKeywords.has(keyword) && !contentKeywords.has(keyword) && !keyword.startsWith("unevaluated");
  }

  const hasMember = (at: object, name: unknown): boolean => !look.spend(1) && Object.hasOwn(at, name as string);

  const membersFit = (properties: SchemaObject, at: Readonly<Record<string, unknown>>): boolean =>
    Object.keys(properties).every((name) => !look.spend(1) && (!Object.hasOwn(at, name) || fits(properties[name], at[name])));

  function namesAll({ properties }: SchemaObject, at: object): boolean {
    return isRecord(properties) && Object.keys(at).every((name) => hasMember(properties, name));
  }

  return fits(schema, value);
}
