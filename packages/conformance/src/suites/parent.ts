// The parent as scenarios: a program that offers its functions on a socket. We are its bridge. The command prints its configuration as
// JSON on stdout, {"type":"stdio","command":…,"args":[…, socket, schema]}, serves the tools of parent-script.ts, and ends on SIGTERM.

import type { Suite } from "../scenario.ts";
import { parentCallScenarios } from "./parent-calls.ts";
import { parentFaultScenarios } from "./parent-faults.ts";
import { parentFileScenarios } from "./parent-files.ts";
import { callTool, echoed } from "./parent-script.ts";

export const parentSuite: Suite = {
  protocol: "parent",
  version: "1.0.0",
  codec: "length-prefix",
  subject: "parent",
  probe: { send: callTool("echo", { alive: "?" }), expect: echoed({ alive: "?" }) },
  scenarios: [...parentFileScenarios, ...parentCallScenarios, ...parentFaultScenarios],
};
