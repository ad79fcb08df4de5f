// Durations as hosts write them: `8s`, `250ms`, `1m30s`, `1.5h`, `100us`. A number needs its unit, and a
// duration must be longer than nothing.

import { cutText } from "@hawser/protocol/internal";
import { gatewayLimits } from "../limits.ts";
import { usage } from "./safe-text.ts";

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  "\u00b5s": 1e-3,
  "\u03bcs": 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const wholePattern = /^\+?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$/;
const partPattern = /(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g;
const maxDurationChars = 64;

/** Whole milliseconds, at least one. `name` is what the message calls it. Throws `usage`. */
export function parseDuration(text: string, name = "timeout"): number {
  const trimmed = text.trim();
  let totalMs = 0;
  if (trimmed.length <= maxDurationChars && wholePattern.test(trimmed))
    for (const [, amount, unit] of trimmed.matchAll(partPattern)) totalMs += Number(amount) * (unitMs[unit as string] as number);
  if (!(totalMs > 0)) {
    const shown = JSON.stringify(cutText(trimmed, maxDurationChars));
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const hint = "a duration has a unit and is positive, for example 8s, 250ms or 1m30s";
    throw usage(`invalid ${name} ${shown}`, { hint, asFlags: { message: `invalid ${flag} ${shown}`, hint } });
  }
  return Math.min(Math.max(1, Math.round(totalMs)), gatewayLimits.maxDurationMs);
}
