// A module of the user's may leave things out that our types ask for.

import { expect, it } from "vitest";
import type { Tool } from "@hawser/tools";
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

it("of two tools with one name the last one counts, and the turn goes on", async () => {
  const named = (result: string): Tool => ({ name: "twice", description: "", input: { type: "object" }, run: () => result });
  const seen: unknown[] = [];
  const stage = openStage({
    tools: [named("first"), named("last")],
    script(step) {
      seen.push(step.tools.length);
      return seen.length === 1 ? [{ type: "tool_call", toolId: "c", toolName: "twice", input: {} }] : [{ type: "text", text: "ok" }];
    },
  });
  stage.send(say("t1", "go"));
  expect((await stage.endOf("t1")).type).toBe("done");
  expect(stage.of("t1").find(({ type }) => type === "tool_result")).toMatchObject({ data: { result: "last" } });
  await stage.close();
});
