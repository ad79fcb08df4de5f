// Names in a scenario: values that `$bind` keeps for `$same`, and connections. Each must be given before it is used: any other name
// would be sent as it is written, or never match.

import { isMatcherObject } from "./pattern.ts";
import type { Scenario, Step } from "./scenario.ts";
import { verbOf, verbs } from "./verbs.ts";

interface Names {
  readonly bound: Set<string>;
  readonly connected: Set<string>;
}

/** The first name that is used too early, in words; undefined when there isn't one. */
export function findNameFault({ setup, steps }: Scenario, given: readonly string[] = []): string | undefined {
  for (const { when, send } of setup?.answers ?? []) {
    // What an answer's pattern binds is for that answer only.
    const bound = new Set<string>();
    const fault = findUnbound(when, bound) ?? findUnbound(send, bound);
    if (fault !== undefined) return fault;
  }
  return findFaultIn(steps, { bound: new Set(given), connected: new Set() });
}

function findFaultIn(steps: readonly Step[], names: Names): string | undefined {
  for (const step of steps) {
    const fault = "repeat" in step ? findFaultIn(step.steps, names) : (findUnconnected(step, names) ?? findUnboundIn(step, names));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function findUnconnected(step: Step, { connected }: Names): string | undefined {
  if ("connect" in step) connected.add(step.connect);
  const used = "drop" in step ? step.drop : "on" in step ? step.on : undefined;
  if (used !== undefined && !connected.has(used)) return `no step connects "${used}" before this`;
  if ("drop" in step) connected.delete(step.drop);
  return undefined;
}

function findUnboundIn(step: Step, { bound }: Names): string | undefined {
  const verb = verbOf(step);
  const argument = (step as Readonly<Record<string, unknown>>)[verb];
  if (verb === "send" || verb === "sendSplit") return findUnbound(argument, new Set(bound));
  // Several patterns match in any order: they can't rely on what another one binds.
  const before = [...bound];
  const { skipping, answering = [], leaving = [] } = step as Partial<Extract<Step, { expect: unknown }>>;
  for (const { when, send } of answering) {
    const own = new Set(before);
    const fault = findUnbound(when, own) ?? findUnbound(send, own);
    if (fault !== undefined) return fault;
  }
  for (const pattern of [...(verbs[verb]?.patterns?.(argument) ?? []), skipping, ...leaving.map(({ when }) => when)]) {
    const own = new Set(before);
    const fault = findUnbound(pattern, own);
    if (fault !== undefined) return fault;
    for (const name of own) bound.add(name);
  }
  return undefined;
}

/** Looks through a value in the order in which it is compared, and adds what it binds. */
function findUnbound(value: unknown, bound: Set<string>): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const isMatcher = isMatcherObject(value);
  for (const [key, member] of Object.entries(value)) {
    if (isMatcher && key === "$equals") continue;
    if (isMatcher && key === "$bind") bound.add(String(member));
    if (isMatcher && key === "$same" && !bound.has(String(member))) return `$same: nothing is bound to "${String(member)}" before this`;
    const fault = findUnbound(member, bound);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
