// The suites by the names that `hawser conform` uses, and a command as the subject of one: the suite says what kind of program it is
// for. A new suite is one file and one line here.

import { acpSubject, type AcpSubjectOptions } from "./acp-subject.ts";
import { bridgeSubject } from "./bridge-subject.ts";
import { agentSubject, commandSubject } from "./command-subject.ts";
import { parentSubject } from "./parent-subject.ts";
import { rpcSubject } from "./rpc-subject.ts";
import type { Suite } from "./scenario.ts";
import type { Subject } from "./subject.ts";
import { acpSuite } from "./suites/acp.ts";
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
  acp: acpSuite,
};

export interface SubjectForOptions extends AcpSubjectOptions {
  /** The longest wait for a parent's configuration. */
  readonly timeoutMs?: number | undefined;
}

/** `prompts` and `folder` are for ACP agents; other suites have no use for them. */
export function subjectFor(suite: Suite, { timeoutMs, prompts, folder, ...options }: SubjectForOptions): Subject {
  switch (suite.subject) {
    case "acp":
      return acpSubject({ ...options, prompts, folder });
    case "agent":
      return agentSubject(options);
    case "bridge":
      return bridgeSubject(options);
    case "parent":
      return parentSubject({ ...options, startMs: timeoutMs });
    case "rpc":
      return rpcSubject(options);
    default:
      return commandSubject(options);
  }
}
