// The long test in short, as the program it is: so that it still works when it is needed.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("history.soak.ts", import.meta.url));
const start = (count: string): Promise<{ stdout: string }> =>
  promisify(execFile)(process.execPath, ["--conditions=hawser-source", program, count]);

it.concurrent("G12 RUN-07 a writer that is killed again and again: nothing acknowledged is lost, and every history loads", async () => {
  const { stdout } = await start("4");
  expect(stdout).toMatch(/^history: passed, 4 kills, \d+ acknowledgements, [\d.]+ s\n$/);
});

it.concurrent("a count that is none is refused with a usage line", async () => {
  await expect(start("many")).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(/^usage: /) as string });
});
