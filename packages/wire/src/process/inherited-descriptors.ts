// Descriptors that the program which started us has left open, and which every child would get too. Node closes its own on the way to a
// child, and the first few of others; what lies above those is found here, once, so that a child that is to be contained can be kept from it.

import { openSync, readdirSync, readFileSync } from "node:fs";

const closedOnStart = 0o2000000;

let known: readonly number[] | undefined;
let nothing: number | undefined;

/** What to put into a child's `stdio` from this index on, so that it inherits nothing: /dev/null in the place of each. Linux only. */
export function inheritingNothing(from: number): (number | "ignore")[] {
  known ??= findInherited();
  const last = known.at(-1) ?? -1;
  if (last < from) return [];
  nothing ??= openSync("/dev/null", "r");
  const isInherited = new Set(known);
  return Array.from({ length: last - from + 1 }, (_, at) => (isInherited.has(from + at) ? (nothing as number) : "ignore"));
}

function findInherited(): number[] {
  try {
    const numbers = readdirSync("/proc/self/fd").map(Number);
    return numbers.filter((number) => number > 2 && isInherited(number)).sort((one, other) => one - other);
  } catch {
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closedOnStart) === 0;
  } catch {
    // It was the one of the list itself.
    return false;
  }
}
