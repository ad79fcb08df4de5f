// Runs that wait for the results of tool calls which were handed out. The next step of the conversation takes its run;
// one whose results never come is ended after a while, when its caller aborts, when its conversation goes on without
// it, or when there are too many. They don't keep this process alive.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { claudeCodeLimits } from "../limits.ts";
import type { RunGuard } from "../run-ending.ts";
import { callIdsIn, finalResults } from "./call-prompt.ts";
import type { LanguageRun, StepRequest } from "./steps.ts";

export function createWaitingRuns(resultMs: number) {
  const waiting = new Set<LanguageRun>();

  async function leave(run: LanguageRun): Promise<void> {
    waiting.delete(run);
    await run.cli.close();
  }

  return {
    /** The run that waits for what the prompt brings; it goes on with it, under this guard. */
    async take({ prompt }: LanguageModelV4CallOptions, guard: RunGuard): Promise<LanguageRun | undefined> {
      const mentioned = callIdsIn(prompt);
      const runs = [...waiting].filter(({ calls }) => calls.some(({ toolCallId }) => mentioned.has(toolCallId)));
      const results = finalResults(prompt);
      const taken = runs.find(({ calls, cli }) => !cli.isEnding() && calls.some(({ toolCallId }) => results.has(toolCallId)));
      if (taken) {
        waiting.delete(taken);
        taken.cli.guard(guard);
        taken.cli.setKeepsAlive(true);
        taken.handed.settle(taken.calls, results);
      }
      await Promise.all(runs.filter((run) => run !== taken).map(leave));
      return taken;
    },

    /** The run waits from now on. */
    park({ run, call }: StepRequest): void {
      waiting.add(run);
      run.cli.setKeepsAlive(false);
      run.cli.guard({ signal: call.abortSignal, ms: resultMs, what: "waiting for the results of tools", keepsAlive: false });
      // One that died, or was ended, has nothing to wait for; if the conversation goes on, then in a new one.
      void run.cli.whenGone().then(() => (waiting.has(run) ? leave(run) : undefined));
      const [oldest] = waiting;
      if (waiting.size > claudeCodeLimits.claudeWaitingEntries && oldest) void leave(oldest);
    },

    /** Ends all of them. */
    async close(): Promise<void> {
      await Promise.all([...waiting].map(leave));
    },
  };
}
