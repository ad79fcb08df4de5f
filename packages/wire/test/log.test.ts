// Log lines of a real process whose stderr is read late, now and then, or only at its end. How often a loss is told
// depends on when the pipe is emptied, so what counts is the sum: every line is either there or was counted once.

import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { wireLimits } from "../src/limits.ts";
import { exitOf, textOf, type PipedChild } from "../../../test/kit/node-programs.ts";
import { startFixture } from "./pipes.ts";

const notice = /^\[hawser\] (\d+) bytes dropped: stderr is not being read$/;

/** How many lines of 1,001 bytes arrived or were told to be lost, and what else there was. */
function accountOf(text: string): { lines: number; notices: number; others: string[] } {
  const lines = text.trimEnd().split("\n");
  const lost = lines.flatMap((line) => notice.exec(line)?.[1] ?? []).map(Number);
  const others = lines.filter((line) => !notice.test(line));
  const kept = others.filter((line) => line.length === 1_000);
  return {
    lines: kept.length + lost.reduce((sum, bytes) => sum + bytes, 0) / 1_001,
    notices: lost.length,
    others: others.filter((line) => line.length !== 1_000),
  };
}

interface Report {
  readonly grownBytes: number;
  readonly heldBytes: number;
}

const reportsOf = (child: PipedChild): AsyncIterator<string> => createInterface({ input: child.stdout })[Symbol.asyncIterator]();
const nextReport = async (reports: AsyncIterator<string>): Promise<Report> => JSON.parse((await reports.next()).value as string) as Report;

it("RUN-13 G10 100 MB of log lines that nobody reads neither stop the process nor fill its memory, and the loss is told", async () => {
  const child = startFixture("wire-log-flood.ts");
  const reports = reportsOf(child);
  child.stdin.write("100000\n");
  const { grownBytes, heldBytes } = await nextReport(reports);
  expect(grownBytes).toBeLessThan(50_000_000);
  expect(wireLimits.maxStderrBytes).toBe(1_048_576);
  expect(heldBytes).toBeLessThan(wireLimits.maxStderrBytes + 2_000);
  const reading = textOf(child.stderr);
  child.stdin.end();
  expect(await exitOf(child)).toEqual({ code: 0, signal: null });
  const { lines, others } = accountOf(await reading);
  expect({ lines, others }).toEqual({ lines: 100_000, others: ["first", "last"] });
});

it("RUN-13 a reader that comes back more than once is told each loss once", async () => {
  const child = startFixture("wire-log-flood.ts");
  const reports = reportsOf(child);
  let text = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  for (let round = 0; round < 3; round++) {
    child.stderr.pause();
    child.stdin.write("5000\n");
    await nextReport(reports);
    child.stderr.resume();
    child.stdin.write("settle\n");
    await nextReport(reports);
  }
  child.stdin.end();
  await new Promise((resolve) => child.stderr.once("end", resolve));
  const { lines, notices, others } = accountOf(text);
  expect({ lines, others }).toEqual({ lines: 15_000, others: ["first", "last"] });
  expect(notices).toBeGreaterThanOrEqual(3);
});

it("RUN-13 a loss is told as soon as stderr is read again, also when there is nothing more to log", async () => {
  const child = startFixture("wire-log-flood.ts", ["--says-no-more"]);
  child.stdin.write("5000\n");
  await nextReport(reportsOf(child));
  const reading = textOf(child.stderr);
  child.stdin.end();
  const { lines, others } = accountOf(await reading);
  expect({ lines, others }).toEqual({ lines: 5_000, others: ["first"] });
});

it("G8 lines to a reader that is gone are lost without an exception, so that a process goes on and ends as it is told", async () => {
  const child = startFixture("wire-log-closed.ts");
  child.stderr.destroy();
  child.stdin.write("go\n");
  expect(await textOf(child.stdout)).toBe("0\n");
  expect(await exitOf(child)).toEqual({ code: 0, signal: null });
});
