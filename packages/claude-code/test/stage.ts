// Requests as a user makes them: the real command line, in a home and a temporary folder of their own, with
// a scripted model on the loopback interface. At the end of a test nothing of it may be left: no file of a session
// and no process.

import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { ClaudeCodeModel, type ClaudeCodeModelOptions } from "../src/index.ts";
import { environment, processesOf, until } from "./surroundings.ts";
import { startScriptedModel, type Script, type ScriptedModel } from "./fixtures/scripted-model.ts";

export interface Stage {
  readonly model: ScriptedModel;
  readonly home: string;
  /** Where sessions put their files. */
  readonly directory: string;
  readonly options: ClaudeCodeModelOptions;
  create(options?: ClaudeCodeModelOptions): ClaudeCodeModel;
}

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
    fs.rmSync(home, { recursive: true, force: true });
    expect(left).toEqual([]);
  });
  const options: ClaudeCodeModelOptions = {
    cwd: home,
    directory,
    model: "claude-sonnet-4-5",
    timeoutMs: 45_000,
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
