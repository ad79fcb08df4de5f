// What the tests of the host client share: the scripted agent, started by the real `spawnAgent`, and ways
// to look at what came and at what is left of it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HawserError, toHawserError } from "@hawser/protocol";
import { spawnAgent, type AgentTurn, type SpawnAgentOptions, type SpawnedAgent, type TurnEvent } from "../../src/host/index.ts";

export const fixture = join(import.meta.dirname, "fixtures", "scripted-agent.mjs");

/** To be taken with `await using`: closed after the test, whatever others do at the same time. */
export function spawnScripted(flags: readonly string[] = [], options: SpawnAgentOptions = {}): Promise<SpawnedAgent> {
  return spawnAgent({ command: process.execPath, args: [fixture, ...flags], onStderr: () => {}, readyMs: 120_000, ...options });
}

export async function eventsOf(turn: AgentTurn): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  for await (const event of turn) events.push(event);
  return events;
}

export const textOf = async (turn: AgentTurn): Promise<string> =>
  (await eventsOf(turn)).map((event) => (event.type === "token" ? event.token : "")).join("");

/** The error that it ends with. */
export async function failureOf(work: Promise<unknown>): Promise<HawserError> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => toHawserError(error),
  );
  if (HawserError.isInstance(outcome)) return outcome;
  throw new Error(`did not fail: ${JSON.stringify(outcome)}`);
}

/** One that has ended and that nobody has collected yet does not live: not everywhere does somebody collect orphans. */
export const isAlive = (pid: number | undefined): boolean => {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/\) [XZ] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
};
