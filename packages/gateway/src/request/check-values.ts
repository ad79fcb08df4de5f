// Values against the document's types, before anything is sent. Parameters become text on their way, so `5` and
// `"5"` are the same there; fields of a JSON body keep their type, and are brought to it where nothing is lost.

import { isKeptNumber, keepNumbers } from "@hawser/wire";
import { conforms, describeType, isContainer, type Comparison, type Shape } from "../openapi/schema-shape.ts";
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
  isSame: (listed, value) => (isContainer(listed) ? true : textOf(listed) === textOf(value)),
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
  isSame: (listed, value) => (isContainer(listed) ? true : listed === value),
};

/** Refuses a parameter that the document does not allow. `what` names it in the message, `elsewhere` is another way to give it. */
export function checkText(shape: Shape, value: unknown, what: string, elsewhere: string): void {
  if (!conforms(shape, value, asText)) throw refusal(shape, value, what, elsewhere);
}

/** A field of a JSON body in its type: `5` is the text "5" where the document wants text, and the other way round. */
export function toFieldValue(shape: Shape, value: unknown, what: string): unknown {
  const others = typeof value === "string" ? fromText(value) : isContainer(value) ? [] : [textOf(value)];
  const fitting = [value, ...others].find((one) => conforms(shape, one, asJson));
  if (fitting !== undefined) return fitting;
  throw refusal(shape, value, what, "give the whole body");
}

export const allowsNull = (shape: Shape): boolean => conforms(shape, null, asJson);

/** What the text is as JSON, exactly; nothing for what is no JSON. */
function fromText(text: string): unknown[] {
  try {
    return [keepNumbers(JSON.parse(text), text)];
  } catch {
    return [];
  }
}

function refusal(shape: Shape, value: unknown, what: string, elsewhere: string): Error {
  const type = describeType(shape);
  const expected = type.startsWith("one of ") ? type : `of type ${type}`;
  return usage(`${what} must be ${expected}; given: ${shown(textOf(value))}`, { hint: `where the document is wrong, ${elsewhere}` });
}
