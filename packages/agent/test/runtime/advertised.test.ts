// What a runtime says of itself in `ready`: only what works with the parts that it has.

import { expect, it } from "vitest";
import { arrayStore, openStage } from "./stage.ts";

it.each([undefined, true, false])("a search is advertised unless the store can't (%s)", async (canSearch) => {
  const stage = openStage({ store: { ...arrayStore(), canSearch } });
  const { capabilities } = (await stage.next(({ type }) => type === "ready")) as { capabilities: string[] };
  expect([capabilities.includes("search"), capabilities.includes("fork")]).toEqual([canSearch !== false, true]);
  await stage.close();
});
