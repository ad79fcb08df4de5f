// Texts beside and inside results that are longer, deeper or heavier than a client or our memory can take.

import { describe, expect } from "vitest";
import { defineTool, it, type Message, type RawBridge } from "./bridges.ts";
import { peakMegabytes } from "../../../../test/kit/processes.ts";
import { unknownMethod } from "./raw-parent.ts";

const input = { type: "object" } as const;
const maxResultBytes = 4_000_000;
const longestLine = (bridge: RawBridge): number =>
  Math.max(...bridge.messages.map((message) => Buffer.byteLength(JSON.stringify(message))));
const textOf = (result: Message): string => result.content[0].text;

describe("JSON text as a result", () => {
  const texts = {
    short: "[1,2]",
    deep: "[".repeat(200) + "]".repeat(200),
    bottomless: "[".repeat(100_000) + "]".repeat(100_000),
    long: `[${"{},".repeat(100_000)}{}]`,
    growing: `[${"1e20,".repeat(150)}1]`,
  };
  const say = defineTool({ name: "say", description: "", input, run: ({ which }) => texts[which as keyof typeof texts] });

  it("G14: arrives as it is, however deep or long; the structured copy is added where it is cheap", async ({ serve, start }) => {
    const bridge = start((await serve([say])).mcpServerConfig);
    await bridge.initialize();
    expect(await bridge.call("say", { which: "short" })).toEqual({
      content: [{ type: "text", text: "[1,2]" }],
      structuredContent: { result: [1, 2] },
    });
    for (const which of ["deep", "bottomless", "long"] as const)
      expect(await bridge.call("say", { which })).toEqual({ content: [{ type: "text", text: texts[which] }] });
  });

  it("H18: that fits is sent without the copy where both would not fit", async ({ serve, start }) => {
    const bridge = start((await serve([say])).mcpServerConfig, { options: ["--max-result-bytes", "1000"] });
    await bridge.initialize();
    expect(await bridge.call("say", { which: "growing" })).toEqual({ content: [{ type: "text", text: texts.growing }] });
  });

  it("G10: of ten megabytes and millions of members takes no more memory than any other text", async ({ serve, start }) => {
    const text = `[${"{},".repeat(3_400_000)}{}]`;
    const bridge = start((await serve([defineTool({ name: "heavy", description: "", input, run: () => text })])).mcpServerConfig);
    await bridge.initialize();
    expect(textOf(await bridge.call("heavy"))).toContain(`The result has ${text.length} bytes`);
    expect(peakMegabytes(bridge.pid) ?? 0).toBeLessThan(256);
  });
});

describe("arguments", () => {
  const count = defineTool({ name: "count", description: "", input, run: ({ value }) => Object.keys(value as object).length });

  it.for<[string, number, () => unknown]>([
    ["310,000 small objects in one megabyte", 310_000, () => Array.from({ length: 310_000 }, () => ({}))],
    ["440,000 keys in five megabytes", 440_000, () => Object.fromEntries(Array.from({ length: 440_000 }, (_, n) => [`k${n}`, 1]))],
  ])("R29 R9 G10: %s are carried, in bounded memory", async ([, members, make], { serve, start }) => {
    const bridge = start((await serve([count])).mcpServerConfig);
    await bridge.initialize();
    expect(textOf(await bridge.call("count", { value: make() }))).toBe(String(members));
    expect(peakMegabytes(bridge.pid) ?? 0).toBeLessThan(256);
  });
});

describe("lines to the client", () => {
  it("H18: a log line and a progress message are shortened", async ({ serve, start }) => {
    const long = "L".repeat(1_000_000);
    const chatty = defineTool({
      name: "chatty",
      description: "",
      input,
      run: (_, { log, progress }) => (log(long), progress(1, 2, long), "done"),
    });
    const bridge = start((await serve([chatty])).mcpServerConfig);
    await bridge.initialize();
    await bridge.answerTo(bridge.startCall("chatty", {}, { progressToken: 1 }));
    const notes = bridge.messages.filter(({ method }) => method !== undefined).map(({ params }) => String(params.data ?? params.message));
    expect(notes).toEqual(Array.from({ length: 2 }, () => `${"L".repeat(16_362)}… (1000000 characters)`));
  });

  it("H18: so are those of a parent that does not shorten them, and its errors", async ({ parent, start }) => {
    const long = "e".repeat(1_000_000);
    const hello = { result: { content: [{ type: "text", text: "" }], hello: { features: ["log", "progress"] } } };
    const raw = await parent({
      onFrame({ method, params }, { send }) {
        if (method === "hello") return send(hello);
        send({ log: { level: "info", message: long } });
        send({ progress: { progress: 1, message: long } });
        const error = params.arguments.type ? { message: "short", type: long } : { message: long, type: "E" };
        send({ error });
      },
    });
    const bridge = start(raw.config);
    await bridge.initialize();
    const failed = (await bridge.answerTo(bridge.startCall("echo", {}, { progressToken: 1 }))).result;
    expect(failed).toMatchObject({ isError: true, _meta: { error: { type: "E" } } });
    expect(textOf(failed)).toBe(`${"e".repeat(16_362)}… (1000000 characters)`);
    const typed = await bridge.call("echo", { type: true });
    expect(textOf(typed)).toBe("short");
    expect(typed._meta.error.type).toBe(`${"e".repeat(178)}… (1000000 characters)`);
    expect(longestLine(bridge)).toBeLessThan(100_000);
  });

  it("H18: an error as long as a frame can be is not lost", async ({ parent, start }) => {
    const message = "e".repeat(10_485_760 - 40);
    const raw = await parent({
      onFrame: ({ method }, { send }) => send(method === "hello" ? unknownMethod : { error: { message, type: "E" } }),
    });
    const bridge = start(raw.config);
    await bridge.initialize();
    expect(textOf(await bridge.call("echo"))).toContain("eee…");
  });

  it.for([
    ["characters that are escaped on the way", { content: [{ type: "text", text: "\u2028".repeat(1_330_000) }] }],
    [
      "numbers that are longer when they are written again",
      `{"content":[{"type":"text","text":""}],"structuredContent":{"n":[${"1e20,".repeat(700_000)}0]}}`,
    ],
  ] as const)(
    "H18: what is too long only because of %s goes to a file, and the sentence is true",
    async ([, result], { parent, start }) => {
      const raw = await parent({
        onFrame({ method }, { send, socket }) {
          if (method === "hello") return send(unknownMethod);
          const body = Buffer.from(`{"result":${typeof result === "string" ? result : JSON.stringify(result)}}`);
          const prefix = Buffer.alloc(4);
          prefix.writeUInt32BE(body.length);
          socket.write(Buffer.concat([prefix, body]));
        },
      });
      const bridge = start(raw.config);
      await bridge.initialize();
      const spilled = await bridge.call("echo");
      expect(spilled.content[1].type).toBe("resource_link");
      const [, bytes, asJson] = /^The result has (\d+) bytes(?: \((\d+) as JSON\))?, more than the 4000000 /.exec(textOf(spilled)) ?? [];
      expect(Number(asJson ?? bytes)).toBeGreaterThan(maxResultBytes);
      expect(longestLine(bridge)).toBeLessThan(maxResultBytes);
    },
  );
});

describe("requests that wait", () => {
  it("G10: are counted by what they hold, not by their text; one that is too many is refused until others are gone", async ({
    serve,
    start,
  }) => {
    const hang = defineTool({ name: "hang", description: "", input, run: () => new Promise(() => {}) });
    const bridge = start((await serve([hang])).mcpServerConfig);
    await bridge.initialize();
    const list = Array.from({ length: 150_000 }, () => ({}));
    const held = [1, 2, 3].map(() => bridge.startCall("hang", { list }));
    const refused = bridge.startCall("hang", { list });
    expect((await bridge.answerTo(refused)).error).toMatchObject({
      code: -32_000,
      message: expect.stringContaining("too much is waiting") as string,
    });
    for (const id of held) bridge.cancel(id);
    bridge.startCall("hang", { list });
    expect((await bridge.request("ping")).result).toEqual({});
    expect(bridge.messages.filter(({ error }) => error !== undefined)).toHaveLength(1);
  });
});
