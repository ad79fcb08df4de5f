// A body as a form (application/x-www-form-urlencoded): arrays as repeated fields and objects as JSON,
// unless the document gives a property a style of its own.

import type { RequestBodyMedia } from "../openapi/operation.ts";
import { deepPairs, explodedPairs, flatItems, isGiven, toText } from "./parameter-styles.ts";

type Encoding = RequestBodyMedia["encoding"];
type Pair = readonly [name: string, value: string];

export function toFormText(members: Readonly<Record<string, unknown>>, encoding: Encoding): string {
  const pairs = Object.entries(members)
    .filter(([, value]) => isGiven(value))
    .flatMap(([name, value]) => pairsOf(name, value, encoding));
  return pairs.map(([name, value]) => `${encodeField(name)}=${encodeField(value)}`).join("&");
}

function pairsOf(name: string, value: unknown, encoding: Encoding): readonly Pair[] {
  const rule = encoding && Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  const style = rule?.style;
  if (style === "deepObject") return deepPairs(name, value);
  if (style !== undefined && (rule?.explode ?? style === "form")) return explodedPairs(name, value);
  if (style !== undefined || rule?.explode === false) {
    const delimiter = style === "spaceDelimited" ? " " : style === "pipeDelimited" ? "|" : ",";
    return [[name, flatItems(value, (text) => text).join(delimiter)]];
  }
  if (Array.isArray(value) && !rule?.contentType) return explodedPairs(name, value);
  return [[name, toText(value)]];
}

function encodeField(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}
