// The long tests in short, as the programs they are: so that they still work when they are needed.

import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { it } from "../fixtures/parent-it.ts";

const program = fileURLToPath(new URL("./sessions.soak.ts", import.meta.url));

describe("SOK-12 session-memory.soak.ts", () => {
  it("SOK-12 500 sessions in one process, each with a call, leave nothing that V8's young generation can't clear away", async ({ run }) => {
    const memory = fileURLToPath(new URL("./session-memory.soak.ts", import.meta.url));
    const soak = run(process.execPath, ["--conditions=hawser-source", memory, "500"]);
    const exit = await soak.ended;
    expect(soak.stdout + soak.stderr).toMatch(
      /^session memory: passed: 500 sessions, \d+ MB and -?\d+ MB more; resident \d+ MB, then \d+ MB, of which -?\d+ MB more outside/,
    );
    expect(exit).toEqual({ code: 0, signal: null });
  });
});

describe("SOK-12 sessions.soak.ts", () => {
  it("SOK-12 runs three sessions with real bridges, and leaks nothing", async ({ run }) => {
    const soak = run(process.execPath, ["--conditions=hawser-source", program, "3"]);
    const exit = await soak.ended;
    expect(soak.stdout + soak.stderr).toMatch(/^bridge sessions soak: passed: 3 sessions with 9 calls in \d+ s\n$/);
    expect(exit).toEqual({ code: 0, signal: null });
  });

  it("refuses a count that is none with a usage line", async ({ run }) => {
    const soak = run(process.execPath, ["--conditions=hawser-source", program, "many"]);
    expect(await soak.ended).toEqual({ code: 2, signal: null });
    expect(soak.stderr).toBe("usage: sessions.soak.ts [count], a whole number of at least 1\n");
  });
});
