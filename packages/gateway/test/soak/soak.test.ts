// The long test in short, as the program it is: so that it still works when it is needed.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("rpc.soak.ts", import.meta.url));
const start = (count: string): Promise<{ stdout: string }> =>
  promisify(execFile)(process.execPath, ["--conditions=hawser-source", program, count]);

it(
  "RPC-01 R111 calls through a real process and the real core with 1, 8 and 64 workers: each answered once, nothing mixed up",
  { timeout: 240_000 },
  async () => {
    const { stdout } = await start("600");
    expect(stdout).toMatch(/^rpc: passed, 600 calls each: 1 workers \d+ calls\/s, 8 workers \d+ calls\/s, 64 workers \d+ calls\/s\n$/);
  },
);

it("a length that is none is refused with a usage line", async () => {
  await expect(start("many")).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(/^usage: /) as string });
});
