// What a suite is: plain data that can be read, printed, stored as JSON and run by a program in any language. A suite holds the
// scenarios of one protocol. A scenario is a conversation with a fresh subject, step by step, and names the requirements it proves.
//
// Sent values and expected patterns may hold these objects in place of a value:
//   sent      {"$same": "name"}    what a pattern bound to that name earlier in the scenario
//             {"$index": true}     the number of the repetition, from 0; {"$index": "r-"}: "r-0", "r-1" …
//   expected  both of these, and the matchers of matchers.ts
// Members that a pattern doesn't name are ignored; arrays match element by element.
//
// Facts are what can be seen of a subject besides its messages:
//   bridge  connections  made so far; open: how many of them are open; requests: all that came, in order
//           stderr       the end of it
//   parent  config, configText  what it printed
//           socket       name, type and mode ("600"); absent once it is removed
//           schema       the same, and value and byName of its content
//           leftovers    names of session files in its temporary folder
//   rpc     requests     received by the API: method, path, query, headers and body; count is their number
//           running      requests without an answer so far; mostRunning at any one time
//           dropped      requests whose connection ended before we answered
//           isInputFull  whether bytes that were sent ahead are still unread
//           stderr       the end of it
//   acp     changes      names in the session's folder that were added, changed or removed
//           mcpMethods   what the MCP server that a session was given was asked for, in order

import type { Pieces } from "./pieces.ts";

/** The connection of a step: one that `connect` named, or else the subject's input and output. */
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

/** Any number of messages that match may come before the expected ones. */
interface Skipping {
  readonly skipping?: unknown;
}

/** How a scenario ends early without a failure: it doesn't apply, or what it would show is beyond the subject. */
export interface Leave {
  readonly outcome: "unsupported" | "skipped" | "passed";
  /** For people: why, and what to do about it. */
  readonly reason: string;
}

/** What else may come while a step waits for its messages. */
interface Playing {
  /** Requests of the subject that are answered in passing. */
  readonly answering?: readonly Pick<Answer, "when" | "send">[];
  /** Messages that end the scenario. */
  readonly leaving?: readonly ({ readonly when: unknown } & Leave)[];
}

/** One step: exactly one verb, and for some verbs modifiers. */
export type Step =
  /** Sends one message. */
  | ({ readonly send: unknown } & OnConnection)
  /** Sends bytes as they are, in one write: for input that no encoder would produce. `ahead`: doesn't wait until they are read. */
  | ({ readonly sendBytes: Pieces; readonly ahead?: true } & OnConnection & OrEnd)
  /** Sends one message in chunks, each in its own write. */
  | ({ readonly sendSplit: unknown; readonly chunkBytes: number } & OnConnection)
  /** The next message matches the pattern. */
  | ({ readonly expect: unknown } & OnConnection & Skipping & Playing & Bounded & OrEnd)
  /** The next messages match these patterns in any order. A message takes the first pattern it matches: narrow ones first. */
  | ({ readonly expectAll: readonly unknown[] } & OnConnection & Skipping & Playing & Bounded)
  /** No message comes for this many milliseconds. */
  | ({ readonly expectNothing: number } & OnConnection)
  | { readonly repeat: number; readonly steps: readonly Step[] }
  /** Ends the subject's input; its output stays open. */
  | ({ readonly endInput: true } & OnConnection)
  /** The subject ends its output, and sends nothing more before it does. */
  | ({ readonly expectEnd: true } & OnConnection & Bounded)
  /** Opens another connection to the subject, under a name. A name that is used again gets a new connection. */
  | { readonly connect: string }
  /** Closes a connection at once, whatever is under way on it. */
  | { readonly drop: string }
  | { readonly signal: string }
  /** Removes the schema file that was made for the subject. */
  | { readonly removeSchema: true }
  /** Rewrites an rpc server's configuration file, as `config` in the setup. */
  | { readonly writeConfig: unknown }
  /** The process exits, and sends nothing more before it does. The pattern is for `{"code": 0, "signal": null}`. */
  | ({ readonly expectExit: unknown } & Bounded)
  /** The subject's facts match, now or within the time. */
  | ({ readonly expectFacts: unknown } & Bounded)
  /** The object of everything that was bound so far matches, or else the scenario ends as it says; without `otherwise` it fails. */
  | { readonly given: unknown; readonly otherwise?: Leave }
  /** The suite's probe is answered, and nothing else comes before its answer. */
  | ({ readonly expectAlive: true } & OnConnection);

/** How the parent or the API that we play answers a request. With nothing to send it never does. */
export interface Answer {
  /** The requests it is for; the first answer that fits is used. What the pattern binds can be sent back. */
  readonly when: unknown;
  readonly send?: unknown;
  readonly sendBytes?: Pieces;
  /** Sends in chunks of this size, with a pause after each. */
  readonly chunkBytes?: number;
  readonly afterMs?: number;
  /** Closes the connection after what was sent. */
  readonly close?: true;
  /** The request is not listed in the facts. */
  readonly aside?: true;
}

/** How a subject is started for one scenario. */
export interface Setup {
  /** A bridge's schema file: its content as JSON or as bytes. Without either, the file doesn't exist. */
  readonly schema?: unknown;
  readonly schemaBytes?: Pieces;
  /** False: the socket of a bridge, or the address of an rpc server's API, has no listener. */
  readonly listen?: false;
  readonly answers?: readonly Answer[];
  /** How many paths a bridge is given; 2 is right. */
  readonly paths?: 0 | 1 | 3;
  /** The file mode mask that a parent is started with. */
  readonly umask?: number;
  /** More arguments for an rpc server. */
  readonly flags?: readonly string[];
  /** The API's OpenAPI document; an rpc server gets its path as `--spec-file`. */
  readonly document?: unknown;
  /** An rpc server's configuration file, as JSON or as text, instead of flags for the API; `{url}` in it is the API's address. */
  readonly config?: unknown;
}

export interface Scenario {
  readonly id: string;
  /** A sentence about the behaviour. */
  readonly title: string;
  readonly requirements: readonly string[];
  /** Beyond the contract: a subject without it isn't faulty, and is reported as not supporting it. */
  readonly additive?: true;
  /** For suites whose subjects are more than a pair of streams. */
  readonly setup?: Setup;
  readonly steps: readonly Step[];
}

/** A rule of a contract that isn't ours: what it demands, in our words, and where it says so. */
export interface Rule {
  readonly rule: string;
  /** Whether the contract demands it, recommends it, or it is our own advice. */
  readonly level: "must" | "should" | "advice";
  readonly source: string;
}

/** A message that the subject may send unasked: the pattern of its parameters, and what our `initialize` must have offered first. */
export interface Saying {
  readonly params: unknown;
  readonly offered?: unknown;
}

/** All that a subject of JSON-RPC 2.0 may say, by method. Each message is compared, whether or not a step looks at it. */
export interface Dialect {
  readonly requests: Readonly<Record<string, Saying>>;
  readonly notifications: Readonly<Record<string, Saying>>;
  /** The patterns of results, by the method of our request. */
  readonly results: Readonly<Record<string, unknown>>;
}

export interface Suite {
  readonly protocol: string;
  readonly version: string;
  readonly codec: "ndjson" | "length-prefix";
  /** How a command becomes a subject: between a client and a socket of ours, as the owner of a socket, between a host and an API, or as a runtime with its own folders. Through its pipes unless given. */
  readonly subject?: "bridge" | "parent" | "rpc" | "agent" | "acp";
  /** The longest wait of one step unless the run has its own. */
  readonly timeoutMs?: number;
  /** Names that the subject binds before the first step. */
  readonly given?: readonly string[];
  readonly dialect?: Dialect;
  /** What the scenarios' requirements say, where no page of ours does. */
  readonly rules?: Readonly<Record<string, Rule>>;
  /** The longest message that is taken from the subject; the contracts' limit unless given. */
  readonly maxMessageBytes?: number;
  /** Messages that may come at any time and mean nothing here. */
  readonly skipping?: unknown;
  /** A request that every living subject answers. */
  readonly probe: { readonly send: unknown; readonly expect: unknown };
  readonly scenarios: readonly Scenario[];
}

/** Scenarios by their ids. */
export type ScenarioTable = Readonly<Record<string, Omit<Scenario, "id">>>;

interface Shared extends Pick<Scenario, "additive" | "setup"> {
  /** Steps before and after each scenario's own. */
  readonly before?: readonly Step[];
  readonly after?: readonly Step[];
}

/** The scenarios of a table, with what they share. */
export const toScenarios = (table: ScenarioTable, { before = [], after = [], ...shared }: Shared = {}): readonly Scenario[] =>
  Object.entries(table).map(([id, scenario]) => ({ id, ...shared, ...scenario, steps: [...before, ...scenario.steps, ...after] }));

/** Whether the scenario needs a process: something that takes signals and exits. */
export function needsProcess(steps: readonly Step[]): boolean {
  return steps.some((step) => "signal" in step || "expectExit" in step || ("repeat" in step && needsProcess(step.steps)));
}
