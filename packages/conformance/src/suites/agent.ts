// The agent protocol as scenarios: a runtime on stdin and stdout, with us as its host. What it says is up to it; how it says it is the
// contract.

import type { Suite } from "../scenario.ts";
import { agentAdditionScenarios } from "./agent-additions.ts";
import { agentChangeScenarios } from "./agent-changes.ts";
import { agentContextScenarios } from "./agent-context.ts";
import { agentSteeringScenarios } from "./agent-steering.ts";
import { agentSettingScenarios } from "./agent-setting.ts";
import { agentLineScenarios } from "./agent-lines.ts";
import { agentTurnScenarios } from "./agent-turns.ts";

export const agentSuite: Suite = {
  protocol: "agent",
  version: "1.0.0",
  codec: "ndjson",
  subject: "agent",
  given: ["workFolder"],
  probe: {
    send: { id: "probe", kind: "get_status" },
    expect: { id: "probe", type: "status", data: { state: { $type: "string" } } },
  },
  scenarios: [
    ...agentTurnScenarios,
    ...agentLineScenarios,
    ...agentAdditionScenarios,
    ...agentContextScenarios,
    ...agentSettingScenarios,
    ...agentSteeringScenarios,
    ...agentChangeScenarios,
  ],
};
