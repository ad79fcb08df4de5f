// Leftovers of processes that were killed while their sessions started, for the tests and the soak.

import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fixturePath } from "../process/observe.ts";
import { hourMs, makeOld } from "./sockets.ts";

/** Starts a process that starts sessions all the time, and kills it after `afterMs` of that. */
export async function killWhileStarting(directory: string, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [fixturePath("socket-restless.ts"), "--directory", directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  await delay(afterMs);
  child.kill("SIGKILL");
  await exited;
  child.stdout.destroy();
}

/** Makes everything in the directory look old enough for the sweep; returns the names. */
export function makeAllOld(directory: string): string[] {
  const names = fs.readdirSync(directory);
  for (const name of names) makeOld(join(directory, name), 2 * hourMs);
  return names;
}
