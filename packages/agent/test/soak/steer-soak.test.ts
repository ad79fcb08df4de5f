// The long test in short, as the program it is: so that it still works when it is needed.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("steer.soak.ts", import.meta.url));

it("G12 an agent that is killed again and again: every steer and fork that it has acknowledged is there, once", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=hawser-source", program, "3"]);
  expect(stdout).toMatch(/^steer: passed, 3 kills, \d+ acknowledgements, [\d.]+ s\n$/);
});
