// `hawser tour`: shows with real processes what the wire guarantees. Ctrl-C and SIGTERM end it cleanly at any moment.

import { untilAborted } from "@hawser/wire/internal";
import { watchInterruption } from "../command-line/interruption.ts";
import { endWhenUnread, paint, printStyled } from "../command-line/output.ts";
import { commandName, readVersion } from "../command-line/launcher.ts";
import { createStage } from "./stage.ts";
import { showSteps } from "./steps.ts";

export async function runTour(): Promise<void> {
  endWhenUnread(0);
  const stage = createStage();
  const interruption = watchInterruption();
  const startedAt = performance.now();
  printStyled(process.stdout, `${paint("bold", `Hawser ${readVersion()}: a tour of the wire`)}\n`);
  let left = 0;
  try {
    await untilAborted(interruption.signal, showSteps(stage));
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
  } finally {
    left = await stage.close();
    interruption.dispose();
  }
  const wasInterrupted = interruption.exitCode !== undefined;
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  printStyled(
    process.stdout,
    `\n${wasInterrupted ? "Interrupted." : summarize(stage.failures, seconds)} ${left || "No"} process is left running.\n`,
  );
  if (stage.failures === 0 && !wasInterrupted)
    printStyled(process.stdout, `Try an implementation of your own:  ${commandName()} conform echo -- <command>\n`);
  process.exitCode = interruption.exitCode ?? Math.min(stage.failures + left, 1);
}

const summarize = (failures: number, seconds: string): string =>
  failures > 0
    ? paint("red", `${failures} of 7 claims did not hold on this machine.`)
    : `${paint("green", "All seven hold")}, shown in ${seconds} s.`;
