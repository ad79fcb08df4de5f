// A bridge, part four: the additions. A bridge may say `hello` first on a connection, and must be
// content with any answer to it; what it can do beyond the contract is asked for as additive.

import type { Scenario } from "../scenario.ts";
import type { Answer, Setup } from "../setup.ts";
import { answered, call, echoes, initialize, refusesHello, request, seen, textResult, tool, when } from "./bridge-script.ts";
import { textFrame } from "../pieces.ts";

const knowsHello: Answer = {
  when: { method: "hello", params: { features: { $type: "array" } } },
  send: { result: { ...textResult("hello"), hello: { features: ["progress", "log", "richContent"] } } },
  aside: true,
};

const setupOf = (...answers: readonly Answer[]): Setup => ({ schema: [tool("echo")], answers });

const withProgress = [
  '{"progress":{"progress":1,"total":2,"message":"half"}}',
  '{"log":{"level":"info","message":"working"}}',
  '{"result":{"content":[{"type":"text","text":"done"}]}}',
].flatMap(textFrame);

export const bridgeHelloScenarios: readonly Scenario[] = [
  {
    id: "hello-known",
    title: "a parent that knows hello is served like one that does not",
    requirements: ["H4"],
    setup: setupOf(knowsHello, echoes),
    steps: [...initialize, call("c", { text: "one" }), { expect: answered("c", "one") }, seen({ connections: 1 })],
  },
  {
    id: "hello-slow",
    title: "a bridge that says hello sends nothing else before its answer",
    requirements: ["R7", "H4"],
    setup: setupOf({ ...refusesHello, afterMs: 300 }, echoes),
    steps: [...initialize, call("c", { text: "one" }), { expect: answered("c", "one") }, seen({ connections: 1 })],
  },
  {
    id: "progress",
    title: "progress of a running call reaches a client that asked for it",
    requirements: ["H4"],
    additive: true,
    setup: setupOf(knowsHello, { when: { method: "call_tool" }, sendBytes: withProgress }),
    steps: [
      ...initialize,
      request("c", "tools/call", { name: "echo", arguments: {}, _meta: { progressToken: "p-1" } }),
      { expect: { method: "notifications/progress", params: { progressToken: "p-1", progress: 1, total: 2 } } },
      { expect: answered("c", "done") },
    ],
  },
  {
    id: "cancel",
    title: "a cancelled call closes the connection that carries it, and another call is not affected",
    requirements: ["H4", "G4"],
    additive: true,
    setup: setupOf(when("forever", {}), echoes, refusesHello),
    steps: [
      ...initialize,
      call("c", { text: "forever" }),
      { expectFacts: { open: 1, requests: { $length: 1 } } },
      { send: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "c", reason: "test" } } },
      { expectFacts: { open: 0 } },
      call("next", { text: "next" }),
      { expect: answered("next", "next"), skipping: { id: "c" } },
    ],
  },
];
