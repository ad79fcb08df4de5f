// Requests as a user makes them: the real command line, in a home and a temporary folder of their own, with
// a scripted model on the loopback interface. At the end of a test nothing of it may be left: no file of a session
// and no process.

import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ClaudeCodeModel, type ClaudeCodeModelOptions } from "../src/index.ts";
import { longTestsVariable } from "../../../scripts/tasks/long-tests.ts";
import { cliPath, environment, hasCli, processesOf, until } from "../../../test/kit/claude-code/surroundings.ts";
import { startScriptedModel, type Script, type ScriptedModel } from "../../../test/kit/claude-code/scripted-model.ts";

export interface Stage {
  readonly model: ScriptedModel;
  readonly home: string;
  /** Where sessions put their files. */
  readonly directory: string;
  readonly options: ClaudeCodeModelOptions;
  create(options?: ClaudeCodeModelOptions): ClaudeCodeModel;
}

/** Whether there is time for everything (`npm run test:soak`): each start of the real command line takes a second of a processor. */
export const isLong = process.env[longTestsVariable] !== undefined;

/** A test with the real command line of what another test shows with a scripted one, or over the other transport. */
export const itInSoak: (name: string, test: () => Promise<void>) => void = isLong ? it : () => {};

export const builtBridge: string = join(import.meta.dirname, "../../bridge/dist/bridge.cjs");

const children: ChildProcess[] = [];
subscribe("child_process", (message) => children.push((message as { process: ChildProcess }).process));

/** How often this process has started the real command line. */
export const countStarts = (): number => children.filter(({ spawnfile }) => isCli(spawnfile)).length;

/** The folder of the packages may be a link, and its name another one then. */
const isCli = (file: string): boolean => file === cliPath || (hasCli && file === fs.realpathSync(cliPath));

export const countDescriptors = (): number => fs.readdirSync("/proc/self/fd").length;

/** The stages that are closed, in order, each with the descriptors that were open then. */
export const closedStages: { readonly home: string; readonly descriptors: number }[] = [];

export async function makeStage(script: Script): Promise<Stage> {
  const home = fs.mkdtempSync(join(tmpdir(), "hawser-cc-"));
  const directory = join(home, "t");
  fs.mkdirSync(directory);
  const model = await startScriptedModel(script);
  const models: ClaudeCodeModel[] = [];
  onTestFinished(async () => {
    await Promise.all(models.map((made) => made.close()));
    await model.close();
    await until(() => processesOf(home).length === 0, `no process of ${home} is left`);
    const left = fs.readdirSync(directory);
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 20 });
    closedStages.push({ home, descriptors: countDescriptors() });
    expect(left).toEqual([]);
  });
  const options: ClaudeCodeModelOptions = {
    cwd: home,
    directory,
    model: "claude-sonnet-4-5",
    timeoutMs: 150_000,
    // As it is built, which starts in half the time.
    bridgeCommand: [process.execPath, builtBridge],
    env: environment(home, model.url),
  };
  return {
    model,
    home,
    directory,
    options,
    create(more = {}) {
      const made = new ClaudeCodeModel({ ...options, ...more });
      models.push(made);
      return made;
    },
  };
}

export const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
