// Log lines of a real process whose stderr is read, and of one whose stderr nobody reads.

import { once } from "node:events";
import { expect, it } from "vitest";
import { limits } from "../src/limits.ts";
import { exitOf, startFixture, textOf } from "./pipes.ts";

it("RUN-13 G10 100 MB of log lines that nobody reads neither stop the process nor fill its memory, and the loss is told", async () => {
  const child = startFixture("wire-log-flood.ts");
  const [report] = (await once(child.stdout, "data")) as [Buffer];
  const { grownBytes, heldBytes } = JSON.parse(report.toString()) as { grownBytes: number; heldBytes: number };
  expect(grownBytes).toBeLessThan(50_000_000);
  expect(limits.maxStderrBytes).toBe(1_048_576);
  expect(heldBytes).toBeLessThan(limits.maxStderrBytes + 2_000);
  const reading = textOf(child.stderr);
  child.stdin.end();
  expect(await exitOf(child)).toEqual({ code: 0, signal: null });
  const lines = (await reading).trimEnd().split("\n");
  expect(lines[0]).toBe("first");
  expect(lines.at(-1)).toBe("last");
  const dropped = Number(/^\[hawser\] (\d+) bytes dropped: stderr is not being read$/.exec(lines.at(-2) ?? "")?.[1]);
  // The first and the last line and the notice, and every other line of 1,001 bytes either here or counted.
  expect(lines.length - 3 + dropped / 1_001).toBe(100_000);
});
