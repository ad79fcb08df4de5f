// What a subject of JSON-RPC may never do, seen on its connection, whatever the scenario looks at.

import { describe, expect, it } from "vitest";
import { createDialectWatch } from "../src/dialect-watch.ts";

const dialect = {
  requests: { ask: { params: { text: { $type: "string" } } }, read: { params: {}, offered: { files: true } } },
  notifications: { note: { params: { text: { $type: "string" } } } },
  results: { greet: { words: { $type: "string" } } },
};

type Talk = readonly (readonly ["sent" | "received", unknown])[];

function faultsOf(talk: Talk): readonly string[] {
  const faults: string[] = [];
  const watch = createDialectWatch(dialect, faults);
  for (const [direction, message] of talk) {
    if (direction === "received") watch.received(message);
    else watch.sent(Buffer.from(typeof message === "string" ? message : `${JSON.stringify(message)}\n`));
  }
  return faults;
}

const jsonrpc = "2.0";
const greet = ["sent", { jsonrpc, id: 1, method: "greet" }] as const;
const greeted = ["received", { jsonrpc, id: 1, result: { words: "hello" } }] as const;

const taken: readonly [string, Talk][] = [
  ["a response", [greet, greeted]],
  ["a refusal", [greet, ["received", { jsonrpc, id: 1, error: { code: -1, message: "no" } }]]],
  [
    "two requests in one write",
    [["sent", '{"id":1,"method":"greet"}\n{"id":"b","method":"other"}\n'], greeted, ["received", { jsonrpc, id: "b", result: null }]],
  ],
  ["the same id again after the response", [greet, greeted, greet, greeted]],
  ["a notification", [["received", { jsonrpc, method: "note", params: { text: "x" } }]]],
  [
    "what an extension says",
    [
      ["received", { jsonrpc, method: "_mine/what", params: 5 }],
      ["received", { jsonrpc, id: 1, method: "_mine/ask" }],
    ],
  ],
  [
    "its own id again after our response",
    [
      ["received", { jsonrpc, id: 0, method: "ask", params: { text: "x" } }],
      ["sent", { jsonrpc, id: 0, result: {} }],
      ["received", { jsonrpc, id: 0, method: "ask", params: { text: "y" } }],
    ],
  ],
  [
    "an error about nonsense",
    [
      ["sent", "not json\n"],
      ["received", { jsonrpc, id: null, error: { code: -32_700, message: "what?" } }],
    ],
  ],
  [
    "a request for what was offered",
    [
      ["sent", { id: 1, method: "initialize", params: { files: true } }],
      ["received", { jsonrpc, id: 0, method: "read", params: {} }],
    ],
  ],
];

const blamed: readonly [string, Talk, string][] = [
  ["a second response", [greet, greeted, greeted], "a response to no open request, or a second one: id 1"],
  ["a response to nothing", [["received", { jsonrpc, id: "x", result: 1 }]], 'a response to no open request, or a second one: id "x"'],
  ["a response without an id", [["received", { jsonrpc, result: 1 }]], "a response to no open request, or a second one: id missing"],
  [
    "an id of another type",
    [greet, ["received", { jsonrpc, id: "1", result: { words: "x" } }]],
    'a response to no open request, or a second one: id "1"',
  ],
  [
    "an error about nothing",
    [["received", { jsonrpc, id: null, error: { code: 1, message: "x" } }]],
    "a response to no open request, or a second one: id null",
  ],
  [
    "a response with both",
    [greet, ["received", { jsonrpc, id: 1, result: { words: "x" }, error: { code: 1, message: "x" } }]],
    "a response to greet without exactly one of result and error",
  ],
  ["a response with neither", [greet, ["received", { jsonrpc, id: 1 }]], "a response to greet without exactly one of result and error"],
  [
    "an error without a code",
    [greet, ["received", { jsonrpc, id: 1, error: { message: "x" } }]],
    'an error in response to greet of the wrong shape: at code: expected {"$type":"integer"}, got no such member',
  ],
  [
    "a result of the wrong shape",
    [greet, ["received", { jsonrpc, id: 1, result: { words: 5 } }]],
    'a result of greet of the wrong shape: at words: expected {"$type":"string"}, got 5',
  ],
  [
    "a notification of the wrong shape",
    [["received", { jsonrpc, method: "note" }]],
    "note of the wrong shape: expected an object, got no such member",
  ],
  [
    "a method that there is not",
    [["received", { jsonrpc, method: "toString", params: {} }]],
    '"toString", which is no method that this protocol lets it use',
  ],
  [
    "a request for what was not offered",
    [["received", { jsonrpc, id: 0, method: "read", params: {} }]],
    "read, which the client did not offer in initialize",
  ],
  [
    "two open requests with one id",
    [
      ["received", { jsonrpc, id: 0, method: "ask", params: { text: "x" } }],
      ["received", { jsonrpc, id: 0, method: "ask", params: { text: "y" } }],
    ],
    "two open requests of its own with the id 0",
  ],
  [
    "another version",
    [greet, ["received", { jsonrpc: "1.0", id: 1, result: { words: "x" } }]],
    'a message without "jsonrpc": "2.0": {"jsonrpc":"1.0","id":1,"result":{"words":"x"}}',
  ],
  ["a message that is no object", [["received", [1]]], "a message that is no object: [1]"],
];

describe("createDialectWatch", () => {
  it.each(taken)("takes %s", (_, talk) => {
    expect(faultsOf(talk)).toEqual([]);
  });

  it.each(blamed)("blames %s", (_, talk, words) => {
    expect(faultsOf(talk)).toEqual([words]);
  });

  it("keeps a bounded number of faults", () => {
    expect(faultsOf(Array.from({ length: 1_000 }, () => ["received", 1] as const)).length).toBe(20);
  });
});
