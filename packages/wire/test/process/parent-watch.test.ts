// A parent's death is noticed once; a parent that lives is never taken for dead.
// That a whole protocol process then ends in time is proved in run-stdio.test.ts.

import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { wireLimits } from "../../src/limits.ts";
import { watchParent } from "../../src/process/lifecycle.ts";
import { it, until } from "./real-programs.ts";

describe("watchParent", () => {
  it("says nothing while the parent lives", async () => {
    let calls = 0;
    const stop = watchParent(() => calls++);
    await delay(wireLimits.parentPollMs * 2.5);
    stop();
    expect(calls).toBe(0);
  });

  it("G8 says once that the parent was killed", async ({ directory, start }) => {
    const report = join(directory, "report");
    const parent = start("process-watching.ts", { args: ["parent", report] });
    await parent.whenPrinted("watching");
    parent.process.kill("SIGKILL");
    const read = (): string => (fs.existsSync(report) ? fs.readFileSync(report, "utf8") : "");
    await until(() => read().includes("over"), 30_000, "the orphan has reported");
    expect(read()).toBe("gone\nover\n");
  });

  it("does not say so after it was told to stop", async ({ directory, start }) => {
    const report = join(directory, "report");
    const parent = start("process-watching.ts", { args: ["parent", report, "stopped"] });
    await parent.whenPrinted("watching");
    parent.process.kill("SIGKILL");
    const read = (): string => (fs.existsSync(report) ? fs.readFileSync(report, "utf8") : "");
    await until(() => read().includes("over"), 30_000, "the orphan has reported");
    expect(read()).toBe("over\n");
  });
});
