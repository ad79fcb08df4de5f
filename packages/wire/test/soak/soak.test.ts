// The long tests in short, as the programs they are: so that they still work when they are needed.

import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { exitOf, startNode, textOf } from "../../../../test/kit/node-programs.ts";

async function start(name: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = startNode(["--conditions=hawser-source", fileURLToPath(new URL(name, import.meta.url)), ...args]);
  const [output, log] = [textOf(child.stdout), textOf(child.stderr)];
  const { code } = await exitOf(child);
  return { code, output: (await output) + (await log) };
}

it("WIR-01 60,000 frames pass both codecs whole, in order and without leaving anything on the heap", async () => {
  const { code, output } = await start("frames.soak.ts", "60000");
  expect(output).toMatch(/^frames: passed, 60000 frames, \d+ MiB, heap -?\d+ KiB, [\d.]+ s\n$/);
  expect(code).toBe(0);
});

it("WIR-20 the fuzzer takes its length and its seed from the command line", async () => {
  const { code, output } = await start("fuzz.soak.ts", "4000", "77");
  expect(output).toMatch(/^fuzz: seed 77\nfuzz: passed, 4000 frames, \d+ answers, \d+ waits settled, [\d.]+ s\n$/);
  expect(code).toBe(0);
});

it.each(["frames.soak.ts", "fuzz.soak.ts"])("%s refuses a length that is none with a usage line", async (name) => {
  const { code, output } = await start(name, "many");
  expect(output).toMatch(/^usage: /);
  expect(code).toBe(2);
});
