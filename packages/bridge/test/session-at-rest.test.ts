// A session that does not keep its program alive.

import { execFile } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { isRunning } from "../../../test/kit/processes.ts";
import { until } from "../../../test/kit/until.ts";

const program = join(import.meta.dirname, "fixtures/session-at-rest.ts");

it("a program whose session and child are at rest ends by itself, and leaves neither", async () => {
  const directory = fs.mkdtempSync(join(tmpdir(), "hawser-rest-"));
  onTestFinished(() => fs.rmSync(directory, { recursive: true, force: true }));
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=hawser-source", program, directory], { timeout: 150_000 });
  const pid = Number(stdout);
  expect(pid).toBeGreaterThan(1);
  // It may not have been collected: orphans belong to the machine's init process.
  await until(() => !isRunning(pid), 30_000, "the child is gone");
  expect(fs.readdirSync(directory)).toEqual([]);
});
