// `hawser tour`: it ends by itself, everything it claims holds, and nothing of it is left.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, it } from "vitest";
import { findProcesses, makeFolder, start } from "./run-hawser.ts";

interface TourRun {
  readonly running: ReturnType<typeof start>;
  readonly folder: string;
  /** What is still there: files of sessions and running processes. */
  left(): unknown[];
}

function startTour(env: NodeJS.ProcessEnv = {}): TourRun {
  const folder = makeFolder("t");
  const mark = `HAWSER_TEST_MARK=${folder}`;
  const running = start(["tour"], { TMPDIR: folder, HAWSER_TEST_MARK: folder, ...env });
  return { running, folder, left: () => [...readdirSync(folder), ...(findProcesses(mark) ?? [])] };
}

describe.concurrent("hawser tour", () => {
  it("G1 G2 G8 G9: shows seven things that hold, exits 0 and leaves no process and no file", async ({ expect }) => {
    const { running, left } = startTour();
    const { code, stdout, stderr } = await running.ended;
    expect(stdout).not.toContain("✗");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.match(/^ ✓ .+$/gm)).toHaveLength(7);
    expect(stdout).toMatch(/srw------- {2}claudecode_ipc_[0-9a-f]{32}\.sock\n/);
    expect(stdout).toMatch(/\nAll seven hold, shown in [\d.]+ s\. No process is left running\.\n/);
    expect(stdout).toMatch(/\nTry an implementation of your own: {2}npx hawser conform echo -- <command>\n$/);
    expect(left()).toEqual([]);
    // No terminal here: plain lines that fit, no colours and no other codes.
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it.for([
    ["SIGINT", "sent {oops", 130],
    ["SIGTERM", "5. A reader", 143],
    ["SIGINT", "srw-------", 130],
  ] as const)(
    "stops cleanly at a signal, with the shell's code for it, whatever it is showing: %s at %s",
    async ([signal, moment, exitCode], { expect }) => {
      const { running, left } = startTour();
      await running.printed(moment);
      running.process.kill(signal);
      const { code, stdout, stderr } = await running.ended;
      expect([code, stderr]).toEqual([exitCode, ""]);
      expect(stdout).toMatch(/\nInterrupted\. No process is left running\.\n$/);
      await expect.poll(left, { timeout: 50_000 }).toEqual([]);
    },
  );

  it("shows the same on a machine that is so busy that a process needs seconds to end", async ({ expect }) => {
    const slowEnd = pathToFileURL(join(import.meta.dirname, "fixtures", "slow-end.mjs"));
    const { running } = startTour({ NODE_OPTIONS: `--import=${slowEnd.href}` });
    const { code, stdout } = await running.ended;
    expect(stdout).not.toContain("✗");
    expect([code, stdout.match(/^ ✓ .+$/gm)?.length]).toEqual([0, 7]);
  });

  it("ends when its reader goes away", async ({ expect }) => {
    const { running, left } = startTour();
    await running.printed("2. Many");
    running.process.stdout.destroy();
    await running.ended;
    await expect.poll(left, { timeout: 50_000 }).toEqual([]);
  });
});
