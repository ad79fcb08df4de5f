// Calls of a session that wait for the turn of their tool.

import { describe, expect } from "vitest";
import { anyTool, it, turn } from "./fixtures/parent-it.ts";
import { until } from "../../../test/kit/until.ts";

describe("a call that waits for its tool's turn", () => {
  it("H4 leaves the line when its connection is closed", async ({ start, connect }) => {
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const tool = anyTool("one", ({ n }) => new Promise<void>((resolve) => (begun.push(Number(n)), ends.push(resolve))), { concurrency: 1 });
    const session = await start([tool]);
    const clients = [await connect(session), await connect(session), await connect(session)] as const;
    for (const [n, client] of clients.entries()) {
      client.call("one", { n });
      await turn(20);
    }
    clients[1].socket.destroy();
    await turn(20);
    ends[0]?.();
    await until(() => begun.length === 2);
    ends[1]?.();
    await clients[2].next();
    expect(begun).toEqual([0, 2]);
  });

  it("H2 H6 has had its arguments checked before", async ({ start, connect }) => {
    const hang = { ...anyTool("hang", () => new Promise(() => {}), { concurrency: 1 }), input: { type: "object", required: ["x"] } };
    const session = await start([hang]);
    (await connect(session)).call("hang", { x: 1 });
    expect((await (await connect(session)).ask("hang")).error?.type).toBe("ToolInputValidationError");
  });
});
