import { expect, it } from "vitest";
import { createRecentMap } from "../../src/flow/recent-map.ts";

it("of more entries than it may hold, the one that was set longest ago goes first, and is told", () => {
  const forgotten: unknown[] = [];
  const map = createRecentMap<number>(2, (...entry) => forgotten.push(entry));
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  map.set("c", 4);
  expect([[...map.entries()], forgotten]).toEqual([
    [
      ["a", 3],
      ["c", 4],
    ],
    [["b", 2]],
  ]);
  expect([map.delete("a"), map.delete("a"), map.get("a"), map.get("c")]).toEqual([true, false, undefined, 4]);
  map.clear();
  expect([[...map.entries()], forgotten.length]).toEqual([[], 1]);
});
