// A bridge, part four: the additions. A bridge may open a connection with `hello`, and must accept any answer to it; what it can do
// beyond the contract is additive.

import { toScenarios, type Answer, type Setup } from "../scenario.ts";
import { answered, answers, call, echoes, initialize, refusesHello, request, seen, textResult, tool, when } from "./bridge-script.ts";
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

export const bridgeHelloScenarios = toScenarios(
  {
    "hello-known": {
      title: "a parent that knows hello is served like one that doesn't",
      requirements: ["H4"],
      setup: setupOf(knowsHello, echoes),
      steps: [...answers(call("c", { text: "one" }), "one"), seen({ connections: 1 })],
    },
    "hello-slow": {
      title: "a bridge that says hello sends nothing else before its answer",
      requirements: ["R7", "H4"],
      setup: setupOf({ ...refusesHello, afterMs: 300 }, echoes),
      steps: [...answers(call("c", { text: "one" }), "one"), seen({ connections: 1 })],
    },
    progress: {
      title: "progress of a running call reaches a client that asked for it",
      requirements: ["H4"],
      additive: true,
      setup: setupOf(knowsHello, { when: { method: "call_tool" }, sendBytes: withProgress }),
      steps: [
        request("c", "tools/call", { name: "echo", arguments: {}, _meta: { progressToken: "p-1" } }),
        { expect: { method: "notifications/progress", params: { progressToken: "p-1", progress: 1, total: 2 } } },
        { expect: answered("c", "done") },
      ],
    },
    cancel: {
      title: "a cancelled call closes the connection that carries it, and another call is not affected",
      requirements: ["H4", "G4"],
      additive: true,
      setup: setupOf(when("forever", {}), echoes, refusesHello),
      steps: [
        call("c", { text: "forever" }),
        { expectFacts: { open: 1, requests: { $length: 1 } } },
        { send: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "c", reason: "test" } } },
        { expectFacts: { open: 0 } },
        call("next", { text: "next" }),
        { expect: answered("next", "next"), skipping: { id: "c" } },
      ],
    },
  },
  { before: initialize },
);
