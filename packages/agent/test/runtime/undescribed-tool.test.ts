// A module of the user's may leave things out that our types ask for.

import { expect, it } from "vitest";
import type { Tool } from "@hawser/wire";
import { openStage, say } from "./stage.ts";

it("a tool without a description is offered with an empty one", async () => {
  const tool = { name: "bare", input: { type: "object" }, run: () => "ok" } as unknown as Tool;
  const seen: unknown[] = [];
  const stage = openStage({
    tools: [tool],
    script(step) {
      seen.push(...step.tools);
      return [{ type: "text", text: "hi" }];
    },
  });
  stage.send(say("t1", "go"));
  expect((await stage.endOf("t1")).type).toBe("done");
  await stage.close();
  expect(seen).toEqual([{ name: "bare", description: "", inputSchema: { type: "object" } }]);
});
