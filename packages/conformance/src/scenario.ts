// What a suite is: plain data, so that it can be read, printed, stored as JSON and run by a program
// in any language. A suite holds the scenarios of one protocol; a scenario is a conversation with a
// fresh subject, step by step, and names the requirements it proves.
//
// Values that are sent and patterns that are expected may hold these objects in place of a value:
//   sent      {"$same": "name"}    what a pattern bound to that name earlier in the scenario
//             {"$index": true}     the number of the repetition, 0 first; {"$index": "r-"}: "r-0", "r-1" …
//   expected  both of these, and the matchers of matchers.ts
// Fields that a pattern does not name are ignored; arrays match element by element.

/** Bytes to send: the text or the base64 bytes, `times` times in a row. */
export interface Piece {
  readonly utf8?: string;
  readonly base64?: string;
  readonly times?: number;
}

export type ExpectedExit = { readonly code: number } | { readonly signal: string };

/** One step: exactly one verb, and for some verbs a modifier. `withinMs` replaces the run's timeout. */
export type Step =
  /** Sends one message. */
  | { readonly send: unknown }
  /** Sends bytes as they are, in one write: for input that no encoder would produce. */
  | { readonly sendBytes: Piece | readonly Piece[] }
  /** Sends one message in chunks, each in a write of its own. */
  | { readonly sendSplit: unknown; readonly chunkBytes: number }
  /** The next message matches the pattern. Messages that match `skipping` may come before it, any number of them. */
  | { readonly expect: unknown; readonly skipping?: unknown; readonly withinMs?: number }
  /** The next messages match these patterns in any order. A message takes the first that it matches: narrow ones first. */
  | { readonly expectAll: readonly unknown[]; readonly skipping?: unknown; readonly withinMs?: number }
  /** No message comes for so many milliseconds. */
  | { readonly expectNothing: number }
  | { readonly repeat: number; readonly steps: readonly Step[] }
  /** Ends the subject's input; its output stays open. */
  | { readonly endInput: true }
  | { readonly signal: string }
  /** The process ends like this, and sends nothing more before it does. */
  | { readonly expectExit: ExpectedExit; readonly withinMs?: number }
  /** The suite's probe is answered, and nothing else comes before its answer. */
  | { readonly expectAlive: true };

export interface Scenario {
  readonly id: string;
  /** A sentence about the behaviour. */
  readonly title: string;
  readonly requirements: readonly string[];
  readonly steps: readonly Step[];
}

export interface Suite {
  readonly protocol: string;
  readonly version: string;
  readonly codec: "ndjson" | "length-prefix";
  /** A request that every living subject answers. */
  readonly probe: { readonly send: unknown; readonly expect: unknown };
  readonly scenarios: readonly Scenario[];
}

/** Whether the scenario needs a process: something that takes signals and exits. */
export function needsProcess(steps: readonly Step[]): boolean {
  return steps.some((step) => "signal" in step || "expectExit" in step || ("repeat" in step && needsProcess(step.steps)));
}
