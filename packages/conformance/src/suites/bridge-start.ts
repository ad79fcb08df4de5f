// A bridge, part one: its start, its schema file, what it answers without its parent, and its end.

import type { Piece } from "../pieces.ts";
import type { Scenario, Step } from "../scenario.ts";
import type { Setup } from "../setup.ts";
import { answered, call, handshake, initialize, request, seen, setupWith, textResult, tool, when } from "./bridge-script.ts";

const schemas = [
  {
    name: "add",
    description: "Adds — 足し算 💥\nwith a second line",
    input_schema: {
      type: "object",
      properties: { a: { type: "number", minimum: -1.5 }, b: { $ref: "#/$defs/many" } },
      required: ["a"],
      additionalProperties: false,
      $defs: { many: { type: "array", items: { enum: [1, "two", null, [3]] } } },
    },
  },
  { name: "no-arguments_1", description: "", input_schema: { type: "object" } },
];

const listed: Step[] = [
  request("list", "tools/list"),
  {
    expect: {
      jsonrpc: "2.0",
      id: "list",
      result: {
        tools: schemas.map(({ name, description, input_schema }) => ({ name, description, inputSchema: { $equals: input_schema } })),
      },
    },
  },
];

/** The bridge ends with a code of its own and says why. */
const refusesToStart = (words: string, code: unknown = { $number: { min: 1 } }): Step[] => [
  { expectExit: { code } },
  { expectFacts: { connections: 0, stderr: { $regex: words } } },
];

const entries = (last: object): object[] => [...Array.from({ length: 17 }, (_, index) => tool(`tool_${index}`)), last];
const { name, description, input_schema } = tool("incomplete") as Record<string, unknown>;

const badSchemas: readonly [string, string, Setup, string][] = [
  ["missing", "that is missing", {}, "."],
  ["empty", "of no bytes", { schemaBytes: { utf8: "" } }, "."],
  ["not-json", "that is no JSON", { schemaBytes: { utf8: '[{"name":' } }, "."],
  ["not-array", "that holds no array", { schema: { tools: [tool("echo")] } }, "."],
  ["no-name", "with a tool without name", { schema: entries({ description, input_schema }) }, "\\b17\\b"],
  ["no-description", "with a tool without description", { schema: entries({ name, input_schema }) }, "\\b17\\b"],
  ["no-input-schema", "with a tool without input_schema", { schema: entries({ name, description }) }, "\\b17\\b"],
];

const wideTool: readonly Piece[] = [
  { utf8: '[{"name":"wide","description":"' },
  { utf8: "x", times: 3_000_000 },
  { utf8: '","input_schema":{"type":"object"}}]' },
];

export const bridgeStartScenarios: readonly Scenario[] = [
  {
    id: "initialize",
    title: "the handshake names a version and offers tools, also to an older client",
    requirements: ["R57"],
    setup: setupWith(),
    steps: [...handshake("2024-11-05"), { expectAlive: true }],
  },
  {
    id: "list",
    title: "tools/list shows the schema file unchanged and needs no connection",
    requirements: ["R16", "R38", "R46"],
    setup: { schema: schemas },
    steps: [...initialize, ...listed, { expectNothing: 100 }, seen({ connections: 0 })],
  },
  {
    id: "lazy",
    title: "start and tools/list need nobody behind the socket",
    requirements: ["R6", "R16"],
    setup: { schema: schemas, listen: false },
    steps: [...initialize, ...listed],
  },
  {
    id: "schema-removed",
    title: "the schema file is read once: tools/list works after it was removed",
    requirements: ["R43", "BRG-09"],
    setup: { schema: schemas },
    steps: [...initialize, { removeSchema: true }, ...listed],
  },
  {
    id: "schema-large",
    title: "a schema file of 3 MB is read",
    requirements: ["R44"],
    setup: { schemaBytes: wideTool },
    steps: [
      ...initialize,
      request("list", "tools/list"),
      { expect: { id: "list", result: { tools: [{ name: "wide", description: { $length: 3_000_000 } }] } } },
    ],
  },
  ...badSchemas.map(([id, words, setup, stderr]): Scenario => ({
    id: `schema-${id}`,
    title: `a schema file ${words} ends the process with a reason`,
    requirements: ["R39", "BRG-09"],
    setup,
    steps: refusesToStart(stderr),
  })),
  {
    id: "schema-duplicate",
    title: "a schema file with two tools of one name ends the process with a reason",
    requirements: ["BRG-09"],
    additive: true,
    setup: { schema: [tool("twin"), tool("other"), tool("twin")] },
    steps: refusesToStart("twin"),
  },
  ...([0, 1, 3] as const).map((paths): Scenario => ({
    id: `paths-${paths}`,
    title: `${paths} paths instead of 2 end the process with code 1 and its usage`,
    requirements: ["R37", "R58"],
    setup: { ...setupWith(), paths },
    steps: refusesToStart("[Uu]sage|USAGE", 1),
  })),
  {
    id: "client-mistakes",
    title: "a line that is no JSON and an unknown method do not end the session",
    requirements: ["R57", "BRG-10"],
    setup: setupWith(),
    steps: [
      ...initialize,
      { sendBytes: { utf8: "{oops\n" } },
      request("what", "no/such/method"),
      { expect: { jsonrpc: "2.0", id: "what", error: { code: -32601 } }, skipping: { error: { code: { $number: { max: -32600 } } } } },
      request("ping", "ping"),
      { expect: { jsonrpc: "2.0", id: "ping", result: { $type: "object" } } },
      { expectAlive: true },
    ],
  },
  {
    id: "end-of-input",
    title: "the end of its input ends the process with code 0, and stdout held nothing but the protocol",
    requirements: ["R57", "G7", "G8"],
    setup: setupWith(),
    steps: [...initialize, call("c", { text: "one" }), { expect: answered("c", "one") }, { endInput: true }, { expectExit: { code: 0 } }],
  },
  {
    id: "end-drains",
    title: "a call that runs when the input ends is still answered",
    requirements: ["G8"],
    additive: true,
    setup: setupWith(when("slow", { send: { result: textResult("done") }, afterMs: 100 })),
    steps: [...initialize, call("c", { text: "slow" }), { endInput: true }, { expect: answered("c", "done") }, { expectExit: { code: 0 } }],
  },
];
