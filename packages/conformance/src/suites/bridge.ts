// The bridge process as scenarios: a command with a socket path and a schema path as its last arguments, MCP on stdin and stdout, and
// `call_tool` frames on the socket. We are its client and its parent. Where the contract leaves a choice, every choice passes.

import type { Suite } from "../scenario.ts";
import { bridgeCallScenarios } from "./bridge-calls.ts";
import { bridgeFaultScenarios } from "./bridge-faults.ts";
import { bridgeHelloScenarios } from "./bridge-hello.ts";
import { bridgeStartScenarios } from "./bridge-start.ts";

export const bridgeSuite: Suite = {
  protocol: "bridge",
  version: "1.0.0",
  codec: "ndjson",
  subject: "bridge",
  // As a line, a result of the largest size is longer than the contracts' limit.
  maxMessageBytes: 67_108_864,
  skipping: { jsonrpc: "2.0", id: { $absent: true }, method: { $regex: "^notifications/" } },
  probe: {
    send: { jsonrpc: "2.0", id: "probe", method: "tools/list" },
    expect: { jsonrpc: "2.0", id: "probe", result: { tools: { $type: "array" } } },
  },
  scenarios: [...bridgeStartScenarios, ...bridgeCallScenarios, ...bridgeFaultScenarios, ...bridgeHelloScenarios],
};
