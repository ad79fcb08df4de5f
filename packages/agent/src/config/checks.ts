// Checks of a configuration's values, as small functions that are put together. A mistake is reported with
// its key, and never with its value: it may be a secret. An unknown member is a warning.

import { cutText, HawserError, isRecord } from "@hawser/protocol/internal";

export interface CheckContext {
  /** Where the value stands: `mcpServers.harbour.command`. */
  readonly key: string;
  warn(message: string): void;
}

export type Check = (value: unknown, context: CheckContext) => void;

export const text: Check = (value, context) => {
  if (typeof value !== "string" || value.trim() === "") refuse(context, "must be a text that is not empty");
};

/** An empty one means something too, as a variable of an environment does. */
export const anyText: Check = (value, context) => {
  if (typeof value !== "string") refuse(context, "must be a text");
};

export const flag: Check = (value, context) => {
  if (typeof value !== "boolean") refuse(context, "must be true or false");
};

export const wholeNumber: Check = (value, context) => {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > maxNumber) {
    refuse(context, `must be a whole number from 1 to ${maxNumber}`);
  }
};

// The longest delay that a timer takes.
const maxNumber = 2_147_483_647;

export const price: Check = (value, context) => {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) refuse(context, "must be a number of at least 0");
};

export const oneOf =
  (...choices: readonly string[]): Check =>
  (value, context) => {
    if (!choices.includes(value as string)) refuse(context, `must be one of: ${choices.join(", ")}`);
  };

export const listOf =
  (item: Check): Check =>
  (value, context) => {
    if (!Array.isArray(value)) refuse(context, "must be a list");
    for (const [at, member] of value.entries()) item(member, { ...context, key: `${context.key}[${at}]` });
  };

/** Members by any name. */
export const recordOf =
  (member: Check): Check =>
  (value, context) => {
    if (!isRecord(value)) refuse(context, "must be an object");
    for (const [name, item] of Object.entries(value)) member(item, below(context, name));
  };

/** Members by these names; those in `required` must be there. */
export const object =
  (members: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, context) => {
    if (!isRecord(value)) refuse(context, "must be an object");
    for (const name of required) if (value[name] === undefined) refuse(below(context, name), "is missing");
    for (const [name, item] of Object.entries(value)) {
      const check = Object.hasOwn(members, name) ? members[name] : undefined;
      if (check) check(item, below(context, name));
      else context.warn(`${below(context, name).key} means nothing; known are: ${Object.keys(members).join(", ")}`);
    }
  };

const maxKeyChars = 200;

const below = (context: CheckContext, name: string): CheckContext => ({
  ...context,
  key: cutText(context.key === "" ? name : `${context.key}.${name}`, maxKeyChars),
});

export function refuse({ key }: CheckContext, problem: string): never {
  throw new HawserError("usage", `${key === "" ? "the configuration" : key} ${problem}`, { facts: { key } });
}
