// The echo protocol as scenarios: what a server does with good input, bad input, cancels and its own end. They assume default
// limits: messages of up to 10,485,760 bytes, 128 levels of nesting, at least 20 requests accepted at once.

import type { Suite } from "../scenario.ts";
import { echoFramingScenarios } from "./echo-framing.ts";
import { echoRequestScenarios } from "./echo-requests.ts";

export const echoSuite: Suite = {
  protocol: "echo",
  version: "1.0.0",
  codec: "ndjson",
  probe: {
    send: { id: "probe", kind: "echo", value: "alive?" },
    expect: { id: "probe", type: "echoed", value: "alive?" },
  },
  scenarios: [...echoFramingScenarios, ...echoRequestScenarios],
};
