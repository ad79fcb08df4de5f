// The long test in short, as the program it is: so that it still works when it is needed.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { hasCli } from "../../../../test/kit/claude-code/surroundings.ts";

const program = fileURLToPath(new URL("./requests.soak.ts", import.meta.url));

describe.runIf(hasCli)("requests.soak.ts", () => {
  it("makes requests over both transports; 0 processes and 0 files are left", { timeout: 180_000 }, async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--conditions=hawser-source", program, "1"], {
      timeout: 170_000,
    });
    expect(stdout + stderr).toMatch(
      /^claude code requests soak: passed: 2 requests with 2 calls, 0 processes and 0 files left, in \d+ s\n$/,
    );
  });
});
