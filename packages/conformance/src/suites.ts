// The suites by the names that `hawser conform` uses, and a command as the subject of one: the suite says what kind of program it is
// for. A new suite is one file and one line here.

import { bridgeSubject } from "./bridge-subject.ts";
import { agentSubject, commandSubject, type CommandSubjectOptions } from "./command-subject.ts";
import { parentSubject } from "./parent-subject.ts";
import { rpcSubject } from "./rpc-subject.ts";
import type { Suite } from "./scenario.ts";
import type { Subject } from "./subject.ts";
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

export interface SubjectForOptions extends CommandSubjectOptions {
  /** The longest wait for a parent's configuration. */
  readonly timeoutMs?: number | undefined;
}

export function subjectFor(suite: Suite, { timeoutMs, ...options }: SubjectForOptions): Subject {
  switch (suite.subject) {
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
