// The requests that are no turns, questions to the user, and programs that do not take what comes.

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { agentHostLimits } from "../../src/host/limits.ts";
import type { PermissionRequest } from "../../src/host/index.ts";
import { eventsOf, failureOf, spawnScripted, textOf } from "./scripted.ts";
import { until } from "../../../../test/kit/until.ts";

describe.concurrent("requests that are no turns", () => {
  it("status, models and conversations come as values", async () => {
    await using agent = await spawnScripted();
    expect(await agent.status("c1")).toMatchObject({ state: "idle" });
    expect(await agent.listModels()).toEqual([{ model: "offline", available: true, current: true }]);
    expect(await agent.listConversations()).toEqual([{ conversationId: "c", title: "C", updatedAt: 2, messages: 3 }]);
    await agent.clearHistory({ conversationId: "c", force: true });
    await agent.renameConversation("c", "New");
    await agent.truncateConversation("c", null);
    await agent.deleteConversation("c");
    const lines = (JSON.parse(await textOf(agent.send("lines"))) as string[]).map((line) => JSON.parse(line) as Record<string, unknown>);
    const bare = lines.map(({ id: _id, ...rest }) => rest);
    expect(bare.slice(0, -1)).toEqual([
      { kind: "get_status", metadata: { conversationId: "c1" } },
      { kind: "list_models" },
      { kind: "list_conversations" },
      { kind: "clear_history", metadata: { conversationId: "c", force: true } },
      { kind: "rename_conversation", conversationId: "c", title: "New" },
      { kind: "truncate_conversation", conversationId: "c", after: null },
      { kind: "delete_conversation", conversationId: "c" },
    ]);
  });

  it("the lines of a long conversation, and the parts of a message that is spread over them, are one again", async () => {
    await using agent = await spawnScripted();
    expect(await agent.loadConversation("c")).toEqual({
      conversationId: "c",
      title: "C",
      messages: [
        { messageId: "m1", role: "user", parts: [{ type: "text", text: "one" }], timestamp: 1 },
        {
          messageId: "m2",
          role: "user",
          parts: [
            { type: "text", text: "two" },
            { type: "attachment", path: "p", mime: "m" },
            { type: "text", text: "three" },
          ],
          timestamp: 1,
          interrupted: "cancelled",
        },
        { messageId: "m3", role: "user", parts: [{ type: "text", text: "four" }], timestamp: 1 },
      ],
    });
  });

  it("subscribe gives the turn that another host began, with what it has said before and says afterwards", async () => {
    await using agent = await spawnScripted();
    const turn = await agent.subscribe("busy");
    expect(turn?.id).toBe("turn-of-another");
    expect(turn && (await textOf(turn))).toBe("abcd");
    expect(await agent.subscribe("idle")).toBeUndefined();
  });
});

describe.concurrent("questions to the user", () => {
  it("the callback is asked what exactly would happen, and its answer is sent", async () => {
    const asked: PermissionRequest[] = [];
    await using agent = await spawnScripted();
    const onPermission = (request: PermissionRequest): "allow_always" => {
      asked.push(request);
      return "allow_always";
    };
    expect(await textOf(agent.send("ask", { onPermission }))).toBe("allow_always");
    expect(asked).toMatchObject([{ toolName: "write_file", input: { path: "a" }, reason: "changes files" }]);
  });

  it("R135: a host with a callback says in each message that it answers, besides what the program says; without one it is not said", async () => {
    const onPermission = (): "deny" => "deny";
    const metadataOf = async (options: object, turnOptions: object = {}): Promise<unknown> => {
      await using agent = await spawnScripted([], options);
      const message = { message: "lines", metadata: { conversationId: "c" } };
      const lines = JSON.parse(await textOf(agent.send(message, turnOptions))) as string[];
      return (JSON.parse(lines.at(-1) ?? "") as { metadata: unknown }).metadata;
    };
    const saying = { conversationId: "c", answersPermissions: true };
    expect([await metadataOf({ onPermission }), await metadataOf({}, { onPermission })]).toEqual([saying, saying]);
    expect(await metadataOf({})).toEqual({ conversationId: "c" });
  });

  it("a callback that fails has denied", async () => {
    await using agent = await spawnScripted([], { onPermission: () => Promise.reject(new Error("no terminal")) });
    expect(await textOf(agent.send("ask"))).toBe("deny");
  });

  it("H36: the idle time does not run while the user thinks", async () => {
    await using agent = await spawnScripted([], { idleMs: 4_000 });
    const onPermission = async (): Promise<"allow"> => {
      await sleep(6_000);
      return "allow";
    };
    expect(await textOf(agent.send("ask", { onPermission }))).toBe("allow");
  });

  it("a question that has expired is taken back from whoever is asked, and no answer is sent", async () => {
    await using agent = await spawnScripted();
    let isTakenBack = false;
    const text = await textOf(
      agent.send("ask expires", {
        onPermission: (_request, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => {
              isTakenBack = true;
              resolve("allow");
            });
          }),
      }),
    );
    expect([text, isTakenBack]).toEqual(["expired", true]);
    expect(await textOf(agent.send("lines"))).not.toContain("permission_response");
  });

  it("can be answered without a callback, once", async () => {
    await using agent = await spawnScripted();
    const answers: unknown[] = [];
    for await (const event of agent.send("ask")) {
      if (event.type === "token") answers.push(event.token);
      if (event.type !== "permission_request") continue;
      await agent.respondPermission(event.data.permissionId, "allow");
      answers.push((await failureOf(agent.respondPermission(event.data.permissionId, "allow"))).code);
    }
    expect(answers).toEqual(["invalid_message", "allow"]);
  });
});

describe("a program that does not take what comes", () => {
  // One after the other: they look at the memory of the process, or at what a flood leaves to others.
  it("G10: slows the runtime down instead of filling the memory, and loses nothing", { timeout: 240_000 }, async () => {
    await using agent = await spawnScripted();
    const turn = agent.send("flood 40000 4000");
    const before = process.memoryUsage().rss;
    await sleep(2_000);
    // 160 MB wait in the runtime and in the pipe; here only what the limits allow.
    expect(process.memoryUsage().rss - before).toBeLessThan(120_000_000);
    let chars = 0;
    for await (const event of turn) if (event.type === "token") chars += event.token.length;
    expect(chars).toBe(160_000_000);
  });

  it("a question of its own in the middle of the stream is answered nevertheless", async () => {
    await using agent = await spawnScripted();
    let tokens = 0;
    for await (const event of agent.send("flood 5000 100")) {
      if (event.type === "token" && tokens++ === 0) expect(await agent.status()).toMatchObject({ state: "idle" });
    }
    expect(tokens).toBe(5_000);
  });

  it("while another request waits, it is given up at the limit, and the other one is served", { timeout: 240_000 }, async () => {
    await using agent = await spawnScripted();
    const unread = agent.send(`flood 12 ${agentHostLimits.hostUnreadChars / 8}`);
    const other = agent.send("drip 20 100");
    expect(await textOf(other)).toBe(".".repeat(20));
    // Who is given up is cancelled, and the runtime has heard of it by then, however long the flood took.
    const heard = async (): Promise<string[]> => JSON.parse(await textOf(agent.send("lines"))) as string[];
    await until(async () => (await heard()).some((line) => line.includes(`"target":"${unread.id}"`)), 100_000);
    expect(await failureOf(eventsOf(unread))).toMatchObject({ code: "overloaded" });
  });

  it("G11: more requests than may wait are refused", async () => {
    await using agent = await spawnScripted();
    const controller = new AbortController();
    const waiting = Array.from({ length: agentHostLimits.hostPendingMessages }, () =>
      failureOf(eventsOf(agent.send("silent", { signal: controller.signal }))),
    );
    expect(await failureOf(eventsOf(agent.send("hello")))).toMatchObject({ code: "overloaded" });
    controller.abort();
    await Promise.all(waiting);
    await until(async () => (await textOf(agent.send("hello")).catch(() => "")) === "Hello world");
  });
});
