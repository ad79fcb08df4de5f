// A look at a message before the whole check, which copies every object and takes longer than parsing the message did. Only a yes
// counts: whatever it does not know or finds wrong goes through the check, which says what is wrong.

import type * as v from "valibot";
import { isRecord } from "./is-record.ts";

export type Look = (value: unknown) => boolean;

/** What we read of a schema; each kind has only some of it. */
interface Parts extends v.GenericSchema {
  readonly entries: Readonly<Record<string, Parts>>;
  readonly item: Parts;
  readonly wrapped: Parts;
  readonly value: Parts;
  readonly literal: unknown;
  readonly options: readonly unknown[];
  readonly pipe?: readonly { readonly kind: string; readonly type: string; readonly requirement?: unknown }[];
}

const isObjectOf = (schema: Parts): Look => {
  const members = Object.entries(schema.entries).map(([name, member]) => ({
    name,
    mayLack: member.type === "optional" || member.type === "exact_optional",
    fits: quickLook(member),
  }));
  return (value) => {
    if (!isRecord(value)) return false;
    for (const { name, mayLack, fits } of members) if (name in value ? !fits(value[name]) : !mayLack) return false;
    return true;
  };
};

const looks: Readonly<Record<string, (schema: Parts) => Look>> = {
  object: isObjectOf,
  loose_object: isObjectOf,
  array: ({ item }) => {
    const fits = quickLook(item);
    return (value) => {
      if (!Array.isArray(value)) return false;
      // Not by `every`, which passes over the places that are empty.
      for (const one of value) if (!fits(one)) return false;
      return true;
    };
  },
  // JSON knows no other names than strings.
  record: ({ value: member }) => (member.type === "unknown" ? isRecord : unsure),
  optional: ({ wrapped }) => quickLook(wrapped),
  exact_optional: ({ wrapped }) => quickLook(wrapped),
  string: () => (value) => typeof value === "string",
  number: () => Number.isFinite,
  boolean: () => (value) => typeof value === "boolean",
  literal:
    ({ literal }) =>
    (value) =>
      value === literal,
  picklist:
    ({ options }) =>
    (value) =>
      options.includes(value),
  unknown: () => () => true,
};

const unsure: Look = () => false;
const isNotEmpty: Look = (value) => (value as { length: number }).length > 0;

/** Whether a value fits for sure. */
export function quickLook(schema: v.GenericSchema): Look {
  const { type, pipe = [] } = schema as Parts;
  const fits = looks[type]?.(schema as Parts) ?? unsure;
  const more = pipe.slice(1).filter(({ kind }) => kind !== "metadata");
  if (more.length === 0) return fits;
  const isKnown = more.every(({ type: rule, requirement }) => rule === "non_empty" || (rule === "min_length" && requirement === 1));
  return isKnown ? (value) => fits(value) && isNotEmpty(value) : unsure;
}
