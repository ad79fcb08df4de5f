// A bridge, part one: its start, its schema file, what it answers without its parent, and its end.

import type { Piece } from "../pieces.ts";
import { toScenarios, type Scenario, type Setup, type Step } from "../scenario.ts";
import { answered, answers, call, handshake, initialize, request, seen, setupWith, textResult, tool, when } from "./bridge-script.ts";

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

/** The bridge exits with an error code and says why. */
const refusesToStart = (words: string, code: unknown = { $number: { min: 1 } }): Step[] => [
  { expectExit: { code } },
  { expectFacts: { connections: 0, stderr: { $regex: words } } },
];

const entries = (last: object): object[] => [...Array.from({ length: 17 }, (_, index) => tool(`tool_${index}`)), last];
const { name, description, input_schema } = tool("incomplete") as Record<string, unknown>;

const badSchema = (words: string, setup: Setup, stderr = "."): Omit<Scenario, "id"> => ({
  title: `a schema file ${words} ends the process with a reason`,
  requirements: ["R39", "BRG-09"],
  setup,
  steps: refusesToStart(stderr),
});

const wrongPaths = (paths: 0 | 1 | 3): Omit<Scenario, "id"> => ({
  title: `${paths} paths instead of 2 end the process with code 1 and its usage`,
  requirements: ["R37", "R58"],
  setup: { ...setupWith(), paths },
  steps: refusesToStart("[Uu]sage|USAGE", 1),
});

const wideTool: readonly Piece[] = [
  { utf8: '[{"name":"wide","description":"' },
  { utf8: "x", times: 3_000_000 },
  { utf8: '","input_schema":{"type":"object"}}]' },
];

export const bridgeStartScenarios = toScenarios(
  {
    initialize: {
      title: "the handshake names a version and offers tools, even to an older client",
      requirements: ["R57"],
      steps: [...handshake("2024-11-05"), { expectAlive: true }],
    },
    list: {
      title: "tools/list shows the schema file unchanged and needs no connection",
      requirements: ["R16", "R38", "R46"],
      setup: { schema: schemas },
      steps: [...initialize, ...listed, { expectNothing: 100 }, seen({ connections: 0 })],
    },
    lazy: {
      title: "start and tools/list need no listener behind the socket",
      requirements: ["R6", "R16"],
      setup: { schema: schemas, listen: false },
      steps: [...initialize, ...listed],
    },
    "schema-removed": {
      title: "the schema file is read once: tools/list works after it was removed",
      requirements: ["R43", "BRG-09"],
      setup: { schema: schemas },
      steps: [...initialize, { removeSchema: true }, ...listed],
    },
    "schema-large": {
      title: "a schema file of 3 MB is read",
      requirements: ["R44"],
      setup: { schemaBytes: wideTool },
      steps: [
        ...initialize,
        request("list", "tools/list"),
        { expect: { id: "list", result: { tools: [{ name: "wide", description: { $length: 3_000_000 } }] } } },
      ],
    },
    "schema-missing": badSchema("that is missing", {}),
    "schema-empty": badSchema("of no bytes", { schemaBytes: { utf8: "" } }),
    "schema-not-json": badSchema("that isn't JSON", { schemaBytes: { utf8: '[{"name":' } }),
    "schema-not-array": badSchema("that doesn't hold an array", { schema: { tools: [tool("echo")] } }),
    "schema-no-name": badSchema("with a tool without name", { schema: entries({ description, input_schema }) }, "\\b17\\b"),
    "schema-no-description": badSchema("with a tool without description", { schema: entries({ name, input_schema }) }, "\\b17\\b"),
    "schema-no-input-schema": badSchema("with a tool without input_schema", { schema: entries({ name, description }) }, "\\b17\\b"),
    "schema-duplicate": {
      title: "a schema file with two tools of one name ends the process with a reason",
      requirements: ["BRG-09"],
      additive: true,
      setup: { schema: [tool("twin"), tool("other"), tool("twin")] },
      steps: refusesToStart("twin"),
    },
    "paths-0": wrongPaths(0),
    "paths-1": wrongPaths(1),
    "paths-3": wrongPaths(3),
    "client-mistakes": {
      title: "neither a line that isn't JSON nor an unknown method ends the session",
      requirements: ["R57", "BRG-10"],
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
    "end-of-input": {
      title: "the end of its input ends the process with code 0, and stdout carried only the protocol",
      requirements: ["R57", "G7", "G8"],
      steps: [...initialize, ...answers(call("c", { text: "one" }), "one"), { endInput: true }, { expectExit: { code: 0 } }],
    },
    "end-drains": {
      title: "a call that runs when the input ends is still answered",
      requirements: ["G8"],
      additive: true,
      setup: setupWith(when("slow", { send: { result: textResult("done") }, afterMs: 100 })),
      steps: [
        ...initialize,
        call("c", { text: "slow" }),
        { endInput: true },
        { expect: answered("c", "done") },
        { expectExit: { code: 0 } },
      ],
    },
  },
  { setup: setupWith() },
);
