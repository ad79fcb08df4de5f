// The suites by the name that `hawser conform` knows them by. A new suite is one file and one line here.

import type { Suite } from "./scenario.ts";
import { agentSuite } from "./suites/agent.ts";
import { bridgeSuite } from "./suites/bridge.ts";
import { echoSuite } from "./suites/echo.ts";
import { parentSuite } from "./suites/parent.ts";
import { rpcSuite } from "./suites/rpc.ts";

export const suites: Readonly<Record<string, Suite>> = {
  echo: echoSuite,
  bridge: bridgeSuite,
  parent: parentSuite,
  rpc: rpcSuite,
  agent: agentSuite,
};
