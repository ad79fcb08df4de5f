// Values against the document's types, before anything is sent. Parameters become text on their way, so `5` and
// `"5"` are the same there; fields of a JSON body keep their type, and are brought to it where nothing is lost.

import { isContainer, isKeptNumber, keepNumbers } from "@hawser/wire/internal";
import { conforms, describeType, type Comparison, type Shape } from "../openapi/schema-shape.ts";
import { shown, usage } from "./safe-text.ts";

const integer = /^[+-]?\d+(?:\.0+)?$/;
const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
const isNumber = (value: unknown): boolean => typeof value === "number" || isKeptNumber(value);

const asText: Comparison = {
  isType(type, value) {
    const text = isContainer(value) ? "" : textOf(value);
    if (type === "string") return !isContainer(value);
    if (type === "integer") return integer.test(text);
    if (type === "number") return number.test(text);
    if (type === "boolean") return text === "true" || text === "false";
    // A text may be a list or an object in the form that the parameter's style gives it.
    if (type === "array") return Array.isArray(value) || !isContainer(value);
    if (type === "object") return isContainer(value) ? !Array.isArray(value) : typeof value === "string";
    return type !== "null" || value === null;
  },
  isSame: (listed, value) => isContainer(listed) || textOf(listed) === textOf(value) || (listed === 0 && textOf(value) === "-0"),
};

const asJson: Comparison = {
  isType(type, value) {
    // One that JavaScript can't hold is whole unless it was written with a point.
    if (type === "integer") return isKeptNumber(value) ? !textOf(value).includes(".") : Number.isInteger(value);
    if (type === "number") return isNumber(value);
    if (type === "array") return Array.isArray(value);
    if (type === "object") return isContainer(value) && !Array.isArray(value);
    if (type === "null") return value === null;
    return type !== "string" && type !== "boolean" ? true : typeof value === type;
  },
  isSame: (listed, value) => isContainer(listed) || listed === value || (listed === 0 && textOf(value) === "-0"),
};

/** Another way to give a value, in the words of an item and in those of the command line. */
export type Detour = readonly [inItem: string, inFlags: string];

/** Refuses a parameter that the document does not allow. `what` names it in the message, `elsewhere` is another way to give it. */
export function checkText(shape: Shape, value: unknown, what: string, elsewhere: Detour): void {
  if (!conforms(shape, value, asText)) throw refusal(shape, value, what, elsewhere);
}

/** A field of a JSON body in its type: `5` is the text "5" where the document wants text, and the other way round. */
export function toFieldValue(shape: Shape, value: unknown, what: string): unknown {
  const others = typeof value === "string" ? fromText(value) : isContainer(value) ? [] : [textOf(value)];
  const fitting = [value, ...others].find((one) => conforms(shape, one, asJson));
  if (fitting !== undefined) return fitting;
  throw refusal(shape, value, what, ["give the whole body", "give the whole body with --body"]);
}

export const allowsNull = (shape: Shape): boolean => conforms(shape, null, asJson);

/** The text parsed as JSON, with exact numbers; empty where it is not JSON. */
function fromText(text: string): unknown[] {
  try {
    return [keepNumbers(JSON.parse(text), text)];
  } catch {
    return [];
  }
}

function refusal(shape: Shape, value: unknown, what: string, [inItem, inFlags]: Detour): Error {
  const type = describeType(shape);
  const expected = type.startsWith("one of ") ? type : `of type ${type}`;
  return usage(`${what} must be ${expected}; given: ${shown(textOf(value))}`, {
    hint: `where the document is wrong, ${inItem}`,
    asFlags: { hint: `where the document is wrong, ${inFlags}` },
  });
}
