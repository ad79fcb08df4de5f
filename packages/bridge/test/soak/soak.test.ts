// The long test in short, as the program it is: so that it still works when it is needed.

import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { it } from "../fixtures/parent-it.ts";

const program = fileURLToPath(new URL("./sessions.soak.ts", import.meta.url));

describe("SOK-12 sessions.soak.ts", () => {
  it("SOK-12 runs four sessions with real bridges, and leaks nothing", async ({ run }) => {
    const soak = run(process.execPath, ["--conditions=hawser-source", program, "4"]);
    const exit = await soak.ended;
    expect(soak.stdout + soak.stderr).toMatch(/^bridge sessions soak: passed: 4 sessions with 12 calls in \d+ s\n$/);
    expect(exit).toEqual({ code: 0, signal: null });
  });

  it("refuses a count that is none with a usage line", async ({ run }) => {
    const soak = run(process.execPath, ["--conditions=hawser-source", program, "many"]);
    expect(await soak.ended).toEqual({ code: 2, signal: null });
    expect(soak.stderr).toBe("usage: sessions.soak.ts [count], a whole number of at least 1\n");
  });
});
