// ACP v1, part one: the first messages, and the bytes and envelopes that carry all of them.

import { toScenarios } from "../scenario.ts";
import { answered, call, hello, helloRequest, housekeeping, isRefused, notify, open, refused, request, settled } from "./acp-script.ts";

const line = (message: unknown): string => `${JSON.stringify(message)}\n`;
const version = { $type: "integer", $number: { min: 1, max: 65_534 } };

const handshake = toScenarios({
  initialize: {
    title: "initialize is answered once, with version 1 and the agent's capabilities, and nothing comes unasked",
    requirements: ["ACP-01", "ACP-02", "ACP-10"],
    steps: [
      { expectNothing: 300 },
      { send: helloRequest(0) },
      { expect: answered(0, { protocolVersion: 1, agentCapabilities: { $optional: { $type: "object" } } }) },
      { expectNothing: 300 },
    ],
  },
  "newer-client": {
    title: "a client of a version that the agent doesn't know is answered with a version that it does know",
    requirements: ["ACP-03"],
    steps: [{ send: helloRequest("hello", { protocolVersion: 65_535 }) }, { expect: answered("hello", { protocolVersion: version }) }],
  },
  "bare-client": {
    title: "a client that names neither its capabilities nor itself is served, and offered nothing that it would have to support",
    requirements: ["ACP-04", "ACP-05"],
    steps: [
      call("hello", "initialize", { protocolVersion: 1 }),
      {
        expect: answered("hello", { protocolVersion: 1, authMethods: { $optional: { $each: { type: { $not: "terminal" } } } } }),
      },
      ...open(),
      { given: { opened: { configOptions: { $nullable: { $each: { type: { $not: "boolean" } } } } } } },
    ],
  },
  "unknown-capabilities": {
    title: "capabilities, members and _meta that the agent doesn't know change nothing",
    requirements: ["ACP-04", "ACP-06"],
    steps: [
      ...hello({ clientCapabilities: { fs: {}, hologram: { deep: [1, { a: null }] }, _meta: { "example.com": true } }, somethingNew: [1] }),
      { given: { agent: { protocolVersion: 1 } } },
      ...open("session", { _meta: { traceparent: "00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01" }, somethingNew: {} }),
    ],
  },
  "names-itself": {
    title: "the agent says its name and version",
    requirements: ["ACP-07"],
    additive: true,
    steps: [...hello(), { given: { agent: { agentInfo: { name: { $length: { min: 1 } }, version: { $length: { min: 1 } } } } } }],
  },
  "authenticate-unknown": {
    title: "authenticate with a method that was not offered is refused",
    requirements: ["ACP-08"],
    additive: true,
    steps: [...hello(), call("auth", "authenticate", { methodId: "hawser-conform-no-such-method" }), { expect: refused("auth") }],
  },
});

const envelopes = toScenarios(
  {
    ids: {
      title: "a response carries the id of its request as it was sent: a text, zero, a negative and a large number",
      requirements: ["ACP-11"],
      steps: ['an id with spaces, "quotes" and 💥', 0, -7, 9_007_199_254_740_991].flatMap((id) => [
        call(id, "_hawser.conform/nothing", {}),
        { expect: settled(id), skipping: housekeeping },
      ]),
    },
    "unknown-method": {
      title: "a method that does not exist is refused with -32601, also one of an extension",
      requirements: ["ACP-12", "ACP-13"],
      steps: [
        ...isRefused("one", "session/hawser_conform_nothing", {}, -32_601),
        ...isRefused("two", "_hawser.conform/nothing", {}, -32_601),
        ...isRefused("three", "hawser_conform_nothing", undefined, -32_601),
      ],
    },
    "unknown-notification": {
      title: "notifications that the agent doesn't know get no answer and do no harm",
      requirements: ["ACP-14", "ACP-15"],
      steps: [
        notify("_hawser.conform/nothing", { a: 1 }),
        notify("session/hawser_conform_nothing", { sessionId: "none" }),
        notify("$/cancel_request", { requestId: "no such request" }),
        { expectNothing: 300 },
        { expectAlive: true },
      ],
    },
    pieces: {
      title: "a message that arrives three bytes at a time is one message",
      requirements: ["ACP-16"],
      steps: [
        { sendSplit: request("💥-1", "_hawser.conform/nothing", { text: "é💥" }), chunkBytes: 3 },
        { expect: settled("💥-1"), skipping: housekeeping },
      ],
    },
    "several-at-once": {
      title: "several requests in one write are each answered once",
      requirements: ["ACP-10", "ACP-16"],
      steps: [
        { sendBytes: { utf8: ["a", "b", "c"].map((id) => line(request(id, "_hawser.conform/nothing", {}))).join("") } },
        { expectAll: ["a", "b", "c"].map((id) => settled(id)), skipping: housekeeping },
        { expectAlive: true },
      ],
    },
    "large-message": {
      title: "a message of a megabyte is one message",
      requirements: ["ACP-16"],
      steps: [
        {
          sendBytes: [
            { utf8: '{"jsonrpc":"2.0","id":"large","method":"_hawser.conform/nothing","params":{"text":"' },
            { utf8: "x", times: 1_048_576 },
            { utf8: '"}}\n' },
          ],
        },
        { expect: settled("large"), skipping: housekeeping },
      ],
    },
    separators: {
      title: "only a line feed ends a message: U+2028 and U+2029 in a text don't",
      requirements: ["ACP-16"],
      steps: [
        { sendBytes: { utf8: line(request("s", "_hawser.conform/nothing", { text: "\u2028 and \u2029" })) } },
        { expect: settled("s"), skipping: housekeeping },
      ],
    },
    "wrong-params": {
      title: "parameters of the wrong type, and missing ones, are refused",
      requirements: ["ACP-17"],
      steps: [
        ...isRefused("1", "session/new", {}),
        ...isRefused("2", "session/new", { cwd: 5, mcpServers: [] }),
        ...isRefused("3", "session/prompt", { prompt: [] }),
        ...isRefused("4", "session/prompt", { sessionId: { a: 1 }, prompt: "text" }),
      ],
    },
    "wrong-params-code": {
      title: "parameters of the wrong type are refused with -32602",
      requirements: ["ACP-18"],
      additive: true,
      steps: isRefused("1", "session/new", { cwd: 5, mcpServers: [] }, -32_602),
    },
    garbage: {
      title: "lines that are no JSON, and JSON that is no message, do no harm to what comes after",
      requirements: ["ACP-19"],
      additive: true,
      steps: [
        ...["not json", "{", "[1,2", "null", "5", '"text"', "{}"].map((text) => ({ sendBytes: { utf8: `${text}\n` } })),
        { sendBytes: { base64: "gIH+/wo=" } },
        call("after", "_hawser.conform/nothing", {}),
        { expect: settled("after"), skipping: { id: null, error: { $type: "object" } } },
      ],
    },
    blank: {
      title: "blank lines are ignored, and so is a carriage return before the line feed",
      requirements: ["ACP-19"],
      additive: true,
      steps: [
        { sendBytes: { utf8: "\n\r\n  \n" } },
        { sendBytes: { utf8: `${JSON.stringify(request("s", "_hawser.conform/nothing", {}))}\r\n` } },
        { expect: settled("s") },
      ],
    },
  },
  { before: hello() },
);

export const acpHandshakeScenarios = [...handshake, ...envelopes];
