// The arguments of a request, as people write them after "with": a JSON object, or `name=value` pairs.

import { cutText, describeAltered, describeThrown, findAlteredNumber, isRecord } from "@hawser/wire";

export type ParsedArguments =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

const pairPattern = /\s*([\w.-]+)=("[^"]*"|'[^']*'|\S+)/y;

export function parseArguments(text: string | undefined): ParsedArguments {
  const source = text?.trim() ?? "";
  if (source.startsWith("{")) return parseObject(source);
  const pairs: [string, unknown][] = [];
  pairPattern.lastIndex = 0;
  while (pairPattern.lastIndex < source.length) {
    const at = pairPattern.lastIndex;
    const found = pairPattern.exec(source);
    if (!found)
      return { ok: false, problem: `\`${cutText(source.slice(at), 40, "").trim()}\` is neither \`name=value\` nor a JSON object` };
    pairs.push([found[1] as string, toValue(found[2] as string)]);
  }
  return { ok: true, value: Object.fromEntries(pairs) };
}

function parseObject(source: string): ParsedArguments {
  try {
    const value: unknown = JSON.parse(source);
    if (!isRecord(value)) return { ok: false, problem: "the arguments must be a JSON object" };
    const altered = findAlteredNumber(value, source);
    return altered ? { ok: false, problem: `${altered.pointer}: ${describeAltered(altered.source)}` } : { ok: true, value };
  } catch (error) {
    return { ok: false, problem: `the arguments are not valid JSON: ${describeThrown(error)}` };
  }
}

/** Numbers, true, false and null as such; what is quoted, or anything else, as text. */
function toValue(written: string): unknown {
  if (/^["']/.test(written) && written.length > 1) return written.slice(1, -1);
  const bare = written.replace(/,$/, "");
  try {
    const value: unknown = JSON.parse(bare);
    // A number that can't be held stays the text that it was.
    return findAlteredNumber(value, bare) ? bare : value;
  } catch {
    return bare;
  }
}
