// What a suite is: plain data, so that it can be read, printed, stored as JSON and run by a program
// in any language. A suite holds the scenarios of one protocol; a scenario is a conversation with a
// fresh subject, step by step, and names the requirements it proves.
//
// Values that are sent and patterns that are expected may hold these objects in place of a value:
//   sent      {"$same": "name"}    what a pattern bound to that name earlier in the scenario
//             {"$index": true}     the number of the repetition, 0 first; {"$index": "r-"}: "r-0", "r-1" …
//   expected  both of these, and the matchers of matchers.ts
// Fields that a pattern does not name are ignored; arrays match element by element.

import type { Pieces } from "./pieces.ts";
import type { Setup } from "./setup.ts";

/** The connection that a step is about: one that `connect` named, or without it the subject's input and output. */
interface OnConnection {
  readonly on?: string;
}

/** `withinMs` replaces the run's timeout. */
interface Bounded {
  readonly withinMs?: number;
}

/** Also holds when the subject ends the connection instead, where a contract leaves it the choice. */
interface OrEnd {
  readonly orEnd?: true;
}

/** Messages that match may come before the expected ones, any number of them. */
interface Skipping {
  readonly skipping?: unknown;
}

/** One step: exactly one verb, and for some verbs modifiers. */
export type Step =
  /** Sends one message. */
  | ({ readonly send: unknown } & OnConnection)
  /** Sends bytes as they are, in one write: for input that no encoder would produce. `ahead`: without waiting until they are read. */
  | ({ readonly sendBytes: Pieces; readonly ahead?: true } & OnConnection & OrEnd)
  /** Sends one message in chunks, each in a write of its own. */
  | ({ readonly sendSplit: unknown; readonly chunkBytes: number } & OnConnection)
  /** The next message matches the pattern. */
  | ({ readonly expect: unknown } & OnConnection & Skipping & Bounded & OrEnd)
  /** The next messages match these patterns in any order. A message takes the first that it matches: narrow ones first. */
  | ({ readonly expectAll: readonly unknown[] } & OnConnection & Skipping & Bounded)
  /** No message comes in this time, in milliseconds. */
  | ({ readonly expectNothing: number } & OnConnection)
  | { readonly repeat: number; readonly steps: readonly Step[] }
  /** Ends the subject's input; its output stays open. */
  | ({ readonly endInput: true } & OnConnection)
  /** The subject ends its output, and sends nothing more before it does. */
  | ({ readonly expectEnd: true } & OnConnection & Bounded)
  /** Opens a further connection to the subject, under a name. A name that is used again gets a new connection. */
  | { readonly connect: string }
  /** Closes a connection at once, whatever is under way on it. */
  | { readonly drop: string }
  | { readonly signal: string }
  /** Removes the schema file that was made for the subject. */
  | { readonly removeSchema: true }
  /** Writes an rpc server's configuration file anew; see setup.ts. */
  | { readonly writeConfig: unknown }
  /** The process ends, and sends nothing more before it does. The pattern is for `{"code": 0, "signal": null}`. */
  | ({ readonly expectExit: unknown } & Bounded)
  /** What is seen of the subject beside its messages matches, now or within the time; see setup.ts. */
  | ({ readonly expectFacts: unknown } & Bounded)
  /** The suite's probe is answered, and nothing else comes before its answer. */
  | ({ readonly expectAlive: true } & OnConnection);

export interface Scenario {
  readonly id: string;
  /** A sentence about the behaviour. */
  readonly title: string;
  readonly requirements: readonly string[];
  /** Beyond the contract: a subject without it is not faulty, and is reported as not supporting it. */
  readonly additive?: true;
  /** How the subject is started, for suites whose subjects are more than a pair of streams. */
  readonly setup?: Setup;
  readonly steps: readonly Step[];
}

export interface Suite {
  readonly protocol: string;
  readonly version: string;
  readonly codec: "ndjson" | "length-prefix";
  /** How a command becomes a subject: between a client and a socket of ours, as the owner of a socket, between a host and an API, or as a runtime with folders of its own. Through its pipes unless given. */
  readonly subject?: "bridge" | "parent" | "rpc" | "agent";
  /** The longest message that is taken from the subject; the contracts' limit unless given. */
  readonly maxMessageBytes?: number;
  /** Messages that may come at any time and mean nothing here. */
  readonly skipping?: unknown;
  /** A request that every living subject answers. */
  readonly probe: { readonly send: unknown; readonly expect: unknown };
  readonly scenarios: readonly Scenario[];
}

/** Whether the scenario needs a process: something that takes signals and exits. */
export function needsProcess(steps: readonly Step[]): boolean {
  return steps.some((step) => "signal" in step || "expectExit" in step || ("repeat" in step && needsProcess(step.steps)));
}
