// `--select`: values out of a JSON value by dot paths (`response.status`, `checks.0.name`). The body of a response is a
// text; a path that goes on behind it goes into the JSON that it holds. A path that leads nowhere is a usage error
// that says where it stopped.

import { HawserError, isKeptNumber, keepNumbers } from "@hawser/wire";

/** Trimmed, without repetitions. Throws `usage` for what can't be a path. */
export function parseSelectors(given: readonly string[]): string[] {
  const selectors = given.map((selector) => selector.trim());
  if (selectors.includes("")) throw new HawserError("usage", "invalid --select value: empty selector");
  const listed = selectors.find((selector) => selector.includes(","));
  if (listed !== undefined)
    throw new HawserError("usage", `invalid --select value ${JSON.stringify(listed)}: repeat --select instead of writing commas`);
  return [...new Set(selectors)];
}

export function selectPath(value: unknown, path: string): unknown {
  let current = value;
  const keys = path.split(".");
  for (const [at, key] of keys.entries()) {
    if (typeof current === "string" && keys.slice(0, at).join(".") === bodyPath) current = openBody(current, path);
    // An array's `length` is no element of it.
    const isLength = Array.isArray(current) && key === "length";
    if (!isContainer(current) || isLength || !Object.hasOwn(current, key)) throw noSuchPath(path, key, current);
    current = (current as Readonly<Record<string, unknown>>)[key];
  }
  return current;
}

const bodyPath = "response.body";

function openBody(body: string, path: string): unknown {
  try {
    return keepNumbers(JSON.parse(body), body);
  } catch {
    throw new HawserError("usage", `invalid --select path ${JSON.stringify(path)}: the response's body is not JSON, or was cut off`);
  }
}

/** The value as a shell wants it: strings without quotes, everything else as JSON. */
export const toRawText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null && !isKeptNumber(value);

function noSuchPath(path: string, key: string, at: unknown): HawserError {
  const reason = Array.isArray(at)
    ? `index ${JSON.stringify(key)} is not in an array of ${at.length}`
    : isContainer(at)
      ? `key ${JSON.stringify(key)} not found; there are: ${Object.keys(at).slice(0, 20).join(", ") || "none"}`
      : `nothing lies below ${JSON.stringify(at)}, so there is no ${JSON.stringify(key)}`;
  return new HawserError("usage", `invalid --select path ${JSON.stringify(path)}: ${reason}`);
}
