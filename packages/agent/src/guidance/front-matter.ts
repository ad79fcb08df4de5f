// The head of a `SKILL.md`: two texts, `name` and `description`, from the part of YAML in which they are written everywhere: plain,
// quoted, or a block (`|`, `>`). Other members are passed over. An unknown form is refused with its line.

import { HawserError } from "@hawser/protocol";

export interface FrontMatter {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

const wanted: ReadonlySet<string> = new Set(["name", "description"]);

/** Throws `invalid_arguments` that says what is wrong. */
export function parseFrontMatter(text: string): FrontMatter {
  const lines = text.split(/\r?\n/);
  if (lines[0]?.trimEnd() !== "---") throw refused("does not begin with a line of three hyphens");
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
  if (end === -1) throw refused("has a head without an end: a second line of three hyphens");
  const found = new Map<string, string>();
  for (let at = 1; at < end;) {
    const line = lines[at] ?? "";
    const below = countBelow(lines, at + 1, end);
    const [, key, value = ""] = /^([A-Za-z][\w-]*)\s*:(?:\s+(.*))?$/.exec(line) ?? [];
    if (key === undefined && !/^\s*(?:#.*)?$/.test(line)) throw refused(`has a line in its head that can't be read: line ${at + 1}`);
    if (key !== undefined && wanted.has(key)) {
      if (found.has(key)) throw refused(`says its ${key} twice`);
      found.set(key, toScalar(value.trim(), lines.slice(at + 1, at + 1 + below), at + 1));
    }
    at += 1 + below;
  }
  return { name: found.get("name"), description: found.get("description") };
}

/** Lines that belong to the one before: indented, empty, or items of a list. */
function countBelow(lines: readonly string[], from: number, end: number): number {
  let at = from;
  while (at < end && /^(?:\s|-\s|$)/.test(lines[at] ?? "")) at++;
  return at - from;
}

function toScalar(value: string, below: readonly string[], line: number): string {
  const block = /^([|>])[+-]?\s*(?:#.*)?$/.exec(value);
  if (block) return below.map((each) => each.trim()).join(block[1] === "|" ? "\n" : " ");
  if (/^[&*!{[%@`]/.test(value) || /^[|>]/.test(value)) throw refused(`has a value of a form that is not known: line ${line}`);
  // A text may go on in the lines below it.
  const whole = [value, ...below.map((each) => each.trim())].filter((each) => each !== "").join(" ");
  if (whole.startsWith('"')) return fromDouble(whole, line);
  if (whole.startsWith("'")) return fromSingle(whole, line);
  return whole.replace(/(?:^|\s)#.*$/, "");
}

function fromDouble(text: string, line: number): string {
  const [, quoted] = /^("(?:[^"\\]|\\.)*")\s*(?:#.*)?$/.exec(text) ?? [];
  try {
    return JSON.parse(quoted ?? "") as string;
  } catch {
    throw refused(`has a quoted text that can't be read: line ${line}`);
  }
}

function fromSingle(text: string, line: number): string {
  const [, quoted] = /^'((?:[^']|'')*)'\s*(?:#.*)?$/.exec(text) ?? [];
  if (quoted === undefined) throw refused(`has a quoted text that can't be read: line ${line}`);
  return quoted.replaceAll("''", "'");
}

const refused = (problem: string): HawserError => new HawserError("invalid_arguments", problem);
