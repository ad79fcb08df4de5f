// Lines from an MCP client that are too long: they are refused by their id, wherever it stands.

import { expect, it } from "vitest";
import { memberSource } from "@hawser/wire/internal";
import { clientLines } from "../../src/process/client-lines.ts";

it.each(["7", '"seven"', String.raw`"a$&b$$c$1"`, String.raw`"say \"hi\""`])("BRG-05 the id %s behind its params is found", (id) => {
  const decoder = clientLines.createDecoder({ maxMessageBytes: 1_000 });
  const line = Buffer.from(`{"method":"tools/call","params":{"text":"${"x".repeat(5_000)}"},"id":${id}}\n`);
  const items = [line.subarray(0, 2_500), line.subarray(2_500)].flatMap((piece) => decoder.push(piece));
  expect(items).toMatchObject([{ kind: "refused", error: { code: "too_large" } }]);
  expect(items.map((item) => (item.kind === "refused" ? memberSource(item.head, "id") : undefined))).toEqual([id]);
});
