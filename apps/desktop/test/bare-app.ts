// An app that nobody drives: started, looked at from outside, and told to end as a system would.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { listProcesses, treeOf, type ProcessFacts } from "./process-tree.ts";
import { application, type Surroundings } from "./surroundings.ts";

export interface BareApp {
  readonly pid: number;
  /** It, and all that it has started. */
  tree(): ProcessFacts[];
  runtime(): ProcessFacts | undefined;
  kill(signal: NodeJS.Signals): void;
  /** From now on nobody reads what it prints. */
  hold(): void;
  /** `0`, or the name of a signal. */
  readonly ended: Promise<string>;
}

/** By the app itself, or by a command that becomes it. */
export function startApp(
  place: Surroundings,
  [command, ...args]: readonly [string, ...string[]] = [application, "--debug-protocol"],
): BareApp {
  const child = place.start(command, args, place.env);
  const pid = child.pid ?? expect.fail("the app can't be started");
  return {
    pid,
    tree: () => treeOf(pid),
    runtime: () => listProcesses().find(({ parent, command }) => parent === pid && command.includes("hawser.cjs")),
    kill: (signal) => void child.kill(signal),
    hold: () => void [child.stdout, child.stderr].map((stream) => stream?.pause()),
    ended: new Promise((resolve) => child.once("exit", (code, signal) => resolve(String(code ?? signal)))),
  };
}

const patience = { timeout: 60_000, interval: 50 };

export const countReady = ({ log }: Surroundings): number => log().split("[RECV] ready\n").length - 1;

/** Until so many runtimes have greeted. */
export async function untilReady(place: Surroundings, times = 1): Promise<void> {
  await expect.poll(() => countReady(place), patience).toBeGreaterThanOrEqual(times);
}

export async function untilLogged(place: Surroundings, text: string): Promise<void> {
  await expect.poll(() => place.log(), patience).toContain(text);
}

export const hasPidFile = ({ folder }: Surroundings): boolean => existsSync(join(folder, "data", "dev.hawser.desktop", "runtime.json"));
