// `hawser tour`: shows on this machine, with real processes, what the wire guarantees. Takes a few
// seconds, needs nothing, leaves nothing. Ctrl-C ends it cleanly at any moment.

import { HawserError, untilAborted } from "@hawser/wire";
import { commandName, readVersion } from "../launcher.ts";
import { endWhenUnread, paint, printStyled } from "../terminal.ts";
import { showKilledChild } from "../tour/kill-step.ts";
import { showBackpressure } from "../tour/pressure-step.ts";
import { showBadInput, showCancel, showFirstAnswer, showManyRequests } from "../tour/request-steps.ts";
import { showSocketSession } from "../tour/socket-step.ts";
import { createStage, type Stage } from "../tour/stage.ts";

const interruptedExitCode = 130;

export async function runTourCommand(): Promise<void> {
  endWhenUnread(0);
  const stage = createStage();
  const interruption = new AbortController();
  const onSignal = (): void => interruption.abort(new HawserError("cancelled", "interrupted"));
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  const startedAt = performance.now();
  printStyled(process.stdout, `${paint("bold", `Hawser ${readVersion()}: a tour of the wire`)}\n`);
  let left = 0;
  try {
    await untilAborted(interruption.signal, showAll(stage));
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
  } finally {
    left = await stage.close();
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
  const wasInterrupted = interruption.signal.aborted;
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  printStyled(
    process.stdout,
    `\n${wasInterrupted ? "Interrupted." : summarize(stage.failures, seconds)} ${left || "No"} process is left running.\n`,
  );
  if (stage.failures === 0 && !wasInterrupted)
    printStyled(process.stdout, `Try an implementation of your own:  ${commandName()} conform echo -- <command>\n`);
  process.exitCode = wasInterrupted ? interruptedExitCode : Math.min(stage.failures + left, 1);
}

async function showAll(stage: Stage): Promise<void> {
  const echo = await showFirstAnswer(stage);
  await showManyRequests(stage, echo);
  await showCancel(stage, echo);
  await showBadInput(stage, echo);
  await showBackpressure(stage, echo);
  await showSocketSession(stage);
  await showKilledChild(stage, echo);
}

const summarize = (failures: number, seconds: string): string =>
  failures > 0
    ? paint("red", `${failures} of 7 claims did not hold on this machine.`)
    : `${paint("green", "All seven hold")}, shown in ${seconds} s.`;
