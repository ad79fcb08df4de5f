// Which entry goes when there is no room for all.

import { describe, expect, it } from "vitest";
import { createRecentMap } from "../../src/flow/recent-map.ts";

describe("a map that forgets", () => {
  it("lets go of the entry that was set longest ago when there are more than it may hold, and tells it", () => {
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
});
