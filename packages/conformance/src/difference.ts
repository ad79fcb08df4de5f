// What was expected and what came instead, in words for the report.

import { excerptOfText } from "./excerpt.ts";
import { within, type Arrival } from "./receiver.ts";
import type { Leave } from "./scenario.ts";
import type { Session } from "./subject.ts";

export interface Difference {
  readonly expected: string;
  readonly got: string;
  /** Not a failure: the scenario ends like this instead. */
  readonly leave?: Leave;
}

const exitWaitMs = 1_000;

/** Words for what came instead of what was expected. */
export async function describe(arrival: Arrival, session: Session, waitMs: number): Promise<string> {
  if (arrival.kind === "message") return excerptOfText(arrival.text);
  if (arrival.kind === "fault") return `${arrival.words}${arrival.isLast ? await describeExit(session) : ""}`;
  if (arrival.kind === "silence") return `nothing within ${waitMs} ms`;
  return `the end of its output${await describeExit(session)}`;
}

export async function describeExit(session: Session): Promise<string> {
  const exit = session.process && (await within(session.process.exited, exitWaitMs));
  return exit ? `; it exited with ${exit.signal ?? `code ${exit.code}`}` : "";
}
