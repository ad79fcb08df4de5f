// What else a call gives its client: structured content where it was promised, progress, log lines.

import { describe, expect } from "vitest";
import { defineTool, it, type ToolContext } from "./bridges.ts";
import { encodeFrame, textAnswer } from "./raw-parent.ts";

describe("structured content that was promised", () => {
  const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;

  it("is never made up, and a result without it is an error, which is all that clients take", async ({ serve, start }) => {
    const count = defineTool({
      name: "count",
      description: "",
      input: { type: "object" },
      output,
      run: ({ plain: isPlain }) => (isPlain ? "5" : { n: 5 }),
    });
    const bridge = start((await serve([count])).mcpServerConfig);
    await bridge.initialize();
    expect(await bridge.call("count")).toEqual({ content: [{ type: "text", text: '{"n":5}' }], structuredContent: { n: 5 } });
    expect(await bridge.call("count", { plain: true })).toEqual({ content: [{ type: "text", text: "5" }], isError: true });
  });
});

describe("progress and log", () => {
  const input = { type: "object" } as const;

  it("H4: progress of a call reaches its client if it asked for it, growing; log lines come too", async ({ serve, start }) => {
    const busy = defineTool({
      name: "busy",
      description: "",
      input,
      run: (_, { progress, log }) => {
        log("begun", "warning");
        for (const step of [0, 1, 1, 0.5, 2]) progress(step, 2, `at ${step}`);
        return "done";
      },
    });
    const bridge = start((await serve([busy])).mcpServerConfig);
    await bridge.initialize();
    await bridge.answerTo(bridge.startCall("busy", {}, { progressToken: "tok" }));
    const notes = bridge.messages.filter(({ method }) => method !== undefined);
    expect(notes).toEqual([
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "warning", data: "begun" } },
      ...[0, 1, 2].map((progress) => ({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: "tok", progress, total: 2, message: `at ${progress}` },
      })),
    ]);
    const before = bridge.messages.length;
    await bridge.call("busy");
    expect(bridge.messages.slice(before).filter(({ method }) => method === "notifications/progress")).toEqual([]);
  });

  it("H4: all that comes in one piece arrives, in order, where the client reads", async ({ parent, start }) => {
    const hello = { result: { content: [{ type: "text", text: "" }], hello: { features: ["log", "progress"] } } };
    const steps = Array.from({ length: 100 }, (_, index) => index);
    const frames = steps.flatMap((progress) => [{ log: { level: "info", message: `at ${progress}` } }, { progress: { progress } }]);
    const raw = await parent({
      onFrame({ method }, { send, socket }) {
        if (method === "hello") return send(hello);
        socket.write(Buffer.concat([...frames, textAnswer("done")].map(encodeFrame)));
      },
    });
    const bridge = start(raw.config);
    await bridge.initialize();
    await bridge.answerTo(bridge.startCall("echo", {}, { progressToken: 1 }));
    const notes = bridge.messages.filter(({ method }) => method !== undefined).map(({ params }) => params.data ?? params.progress);
    expect(notes).toEqual(steps.flatMap((progress) => [`at ${progress}`, progress]));
  });

  it("BRG-12: logging/setLevel is obeyed", async ({ serve, start }) => {
    const levels = ["debug", "info", "warning", "error"] as const;
    const run = (_: unknown, { log }: ToolContext): void => levels.forEach((level) => log(`at ${level}`, level));
    const bridge = start((await serve([defineTool({ name: "logs", description: "", input, run })])).mcpServerConfig);
    await bridge.initialize();
    expect((await bridge.request("logging/setLevel", { level: "warning" })).result).toEqual({});
    await bridge.call("logs");
    const logged = bridge.messages.filter(({ method }) => method === "notifications/message").map(({ params }) => params.data as string);
    expect(logged).toEqual(["at warning", "at error"]);
    expect((await bridge.request("logging/setLevel", { level: "loud" })).error.code).toEqual(expect.any(Number));
  });
});
