// The log of refused lines: useful for a mistake, bounded for a flood.

import { agentLimits } from "../../src/limits.ts";
import { afterEach, expect, it, vi } from "vitest";
import { createRefusalLog } from "../../src/runtime/serve-agent.ts";
import { openStage } from "./stage.ts";

afterEach(() => vi.restoreAllMocks());

function collect(refusals: number, namedLines = 4): string[] {
  const lines: string[] = [];
  const log = createRefusalLog((line) => lines.push(line), namedLines);
  for (let position = 1; position <= refusals; position++) log.note(position, "no JSON");
  log.close();
  log.close();
  return lines;
}

it("names each of the first ones, and says nothing more about them", () => {
  expect(collect(0)).toEqual([]);
  expect(collect(4)).toEqual([1, 2, 3, 4].map((position) => `[hawser] agent: line ${position} was refused: no JSON`));
});

it("G15: of further ones it says how many, when they have doubled and at the end", () => {
  expect(collect(5).slice(4)).toEqual(["[hawser] agent: 5 lines were refused in all"]);
  expect(collect(16).slice(4)).toEqual([
    "[hawser] agent: 8 lines were refused until now; the last is line 8: no JSON",
    "[hawser] agent: 16 lines were refused until now; the last is line 16: no JSON",
  ]);
  expect(collect(1_000_000).length).toBeLessThan(4 + 20);
});

it("G15 RUN-09: a host that floods the runtime with bad lines gets an answer to each that has an id, and a short log", async () => {
  const lines: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => lines.push(String(text)) > 0);
  const stage = openStage();
  const bad = 2_000;
  for (let count = 0; count < bad; count++) stage.write(count % 2 === 0 ? `{"id":"b${count}","kind":"nonsense"}\n` : "no JSON\n");
  await stage.endOf(`b${bad - 2}`);
  await stage.close();
  expect(stage.responses.filter(({ type }) => type === "error")).toHaveLength(bad / 2);
  expect(lines.length).toBeGreaterThan(agentLimits.agentRefusedMessages);
  expect(lines.length).toBeLessThan(agentLimits.agentRefusedMessages + 10);
  expect(lines.at(-1)).toBe(`[hawser] agent: ${bad} lines were refused in all\n`);
});
