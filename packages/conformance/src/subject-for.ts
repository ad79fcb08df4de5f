// A command as the subject of a suite: the suite says what kind of program it is for.

import { agentSubject } from "./agent-subject.ts";
import { bridgeSubject } from "./bridge-subject.ts";
import { commandSubject, type CommandSubjectOptions } from "./command-subject.ts";
import { parentSubject } from "./parent-subject.ts";
import { rpcSubject } from "./rpc-subject.ts";
import type { Suite } from "./scenario.ts";
import type { Subject } from "./subject.ts";

export interface SubjectForOptions extends CommandSubjectOptions {
  /** Longest wait for a parent's configuration. */
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
