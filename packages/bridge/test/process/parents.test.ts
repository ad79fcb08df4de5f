// Parents that other people wrote, and parents that misbehave: whatever they send, the client gets one
// clear answer for each call, never somebody else's.

import { describe, expect } from "vitest";
import { it } from "./bridges.ts";
import { until } from "../../../../test/kit/until.ts";
import { encodeFrame, textAnswer, unknownMethod, type ParentConnection } from "./raw-parent.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- a frame as it came
type Frame = any;

/** A parent of the plain contract: `hello` is unknown to it, each call is answered by `answer`. */
const plain =
  (answer: (frame: Frame, connection: ParentConnection) => void) =>
  (frame: Frame, connection: ParentConnection): void => {
    if (frame.method === "hello") connection.send(unknownMethod);
    else answer(frame, connection);
  };

describe("hello", () => {
  it("H4 R12: is the first frame, names features and client, and waits for its answer", async ({ parent, start }) => {
    let isAnswered = false;
    const order: string[] = [];
    const raw = await parent({
      onFrame: (frame, { send }) => {
        order.push(`${frame.method} ${isAnswered ? "after" : "before"} the answer to hello`);
        if (frame.method === "call_tool") return send(textAnswer("x"));
        setTimeout(() => {
          isAnswered = true;
          send({ result: { content: [{ type: "text", text: "" }], hello: { features: ["progress"] } } });
        }, 100);
      },
    });
    const bridge = start(raw.config);
    await bridge.initialize();
    await bridge.call("echo", { a: 1 });
    expect(order).toEqual(["hello before the answer to hello", "call_tool after the answer to hello"]);
    expect(raw.frames.map(({ frame }) => frame)).toEqual([
      { method: "hello", params: { features: ["progress", "log", "richContent"], client: { name: "raw-client", version: "1.2.3" } } },
      { method: "call_tool", params: { name: "echo", arguments: { a: 1 } } },
    ]);
  });

  it("H4: a parent that does not know it is not asked again", async ({ parent, start }) => {
    const raw = await parent({ onFrame: plain((_, { send }) => setTimeout(send, 30, textAnswer("x"))) });
    const bridge = start(raw.config);
    await bridge.initialize();
    await bridge.call("echo");
    await Promise.all([bridge.call("echo"), bridge.call("echo"), bridge.call("echo")]);
    expect(raw.connections.length).toBeGreaterThan(1);
    expect(raw.frames.filter(({ frame }) => frame.method === "hello")).toHaveLength(1);
  });

  it.for(["end", "destroy"] as const)(
    "H4: a parent that closes the connection over it (%s) is called without it, in the same call and from then on",
    async (close, { parent, start }) => {
      const raw = await parent({
        onFrame: ({ method }, { send, socket }) => void (method === "hello" ? socket[close]() : setTimeout(send, 30, textAnswer("x"))),
      });
      const bridge = start(raw.config, { options: ["--reconnect", "never"] });
      await bridge.initialize();
      expect((await bridge.call("echo")).content[0].text).toBe("x");
      await Promise.all([bridge.call("echo"), bridge.call("echo")]);
      expect(raw.frames.filter(({ frame }) => frame.method === "hello")).toHaveLength(1);
      expect(raw.frames.filter(({ frame }) => frame.method === "call_tool")).toHaveLength(3);
    },
  );

  it("H4: a parent that never answers it holds up only until the call is cancelled", async ({ parent, start }) => {
    const raw = await parent({ onFrame: (_, { number, send }) => void (number > 1 && send(textAnswer("at last"))) });
    const bridge = start(raw.config, { options: ["--connections", "1"] });
    await bridge.initialize();
    const id = bridge.startCall("echo");
    await until(() => raw.frames.length === 1, 30_000, "hello was sent");
    bridge.cancel(id);
    await until(() => raw.connections[0]!.socket.destroyed || raw.connections[0]!.socket.readableEnded, 30_000, "its connection is closed");
    expect((await bridge.call("echo")).content[0].text).toBe("at last");
    expect(raw.frames.filter(({ frame }) => frame.method === "call_tool")).toHaveLength(1);
  });

  it("SOK-16: a parent that refuses the connection itself is the error of the call", async ({ parent, start }) => {
    const raw = await parent({
      onFrame: (_, { send, socket }) => {
        send({ error: { message: "too many connections open; try again", type: "IPCConnectionError" } });
        socket.end();
      },
    });
    const bridge = start(raw.config);
    await bridge.initialize();
    expect(await bridge.call("echo")).toEqual({
      content: [{ type: "text", text: "too many connections open; try again" }],
      isError: true,
      _meta: { error: { type: "IPCConnectionError" } },
    });
  });
});

const answers: readonly (readonly [string, object, object])[] = [
  [
    "with isError false",
    { content: [{ type: "text", text: "a" }], isError: false },
    { content: [{ type: "text", text: "a" }], isError: false },
  ],
  [
    "with null for what is not there",
    { content: [{ type: "text", text: "a", annotations: null }], isError: null, structuredContent: null, _meta: null },
    { content: [{ type: "text", text: "a" }] },
  ],
  ["with no content (O5)", { content: [] }, { content: [{ type: "text", text: "" }] }],
  [
    "with members that MCP does not know",
    { content: [{ type: "text", text: "a" }], resultType: "input_required", task: {}, own: 1 },
    { content: [{ type: "text", text: "a" }] },
  ],
  [
    "with a number as text",
    { content: [{ type: "text", text: "5" }] },
    { content: [{ type: "text", text: "5" }], structuredContent: { result: 5 } },
  ],
  [
    "with null as text",
    { content: [{ type: "text", text: "null" }] },
    { content: [{ type: "text", text: "null" }], structuredContent: { result: null } },
  ],
  [
    "with a JSON list as text",
    { content: [{ type: "text", text: " [1] " }] },
    { content: [{ type: "text", text: " [1] " }], structuredContent: { result: [1] } },
  ],
  [
    "with a JSON string as text",
    { content: [{ type: "text", text: '"x"' }] },
    { content: [{ type: "text", text: '"x"' }], structuredContent: { result: "x" } },
  ],
  ["with a JSON object as text", { content: [{ type: "text", text: '{"a":1}' }] }, { content: [{ type: "text", text: '{"a":1}' }] }],
  [
    "with structured content of its own",
    { content: [{ type: "text", text: "5" }], structuredContent: { n: 5 } },
    { content: [{ type: "text", text: "5" }], structuredContent: { n: 5 } },
  ],
  [
    "with a list as structured content",
    { content: [{ type: "text", text: "a" }], structuredContent: [1] },
    { content: [{ type: "text", text: "a" }] },
  ],
  [
    "with a text as structured content",
    { content: [{ type: "text", text: "a" }], structuredContent: "a" },
    { content: [{ type: "text", text: "a" }] },
  ],
  ["with a list as _meta", { content: [{ type: "text", text: "a" }], _meta: [] }, { content: [{ type: "text", text: "a" }] }],
];

const errors: readonly (readonly [string, Buffer, RegExp])[] = [
  ["no JSON", Buffer.from("\0\0\0\x01{"), /sent what can't be read: not valid JSON/],
  ["an empty frame", Buffer.from("\0\0\0\0"), /sent what can't be read: empty frame/],
  ["no UTF-8", Buffer.from('\0\0\0\x03"\xff"', "latin1"), /sent what can't be read: not valid UTF-8/],
  ["neither result nor error", encodeFrame({ ok: true }), /sent an invalid answer: a message has exactly one of/],
  ["both result and error", encodeFrame({ ...textAnswer("x"), ...unknownMethod }), /sent an invalid answer: a message has exactly one of/],
  ["an error without type", encodeFrame({ error: { message: "x" } }), /sent an invalid answer: "error.type"/],
  ["a list", encodeFrame([]), /sent an invalid answer: a message is a JSON object/],
  ["content that isn't a list", encodeFrame({ result: { content: "x" } }), /sent an invalid answer: "result.content"/],
  [
    "a frame over 10 MiB (O3)",
    Buffer.concat([Buffer.from([0, 0xa0, 0, 1]), Buffer.alloc(10_485_761, "x")]),
    /frame of 10485761 bytes; the limit is 10485760/,
  ],
  ["a length of 4 GB", Buffer.from([0xff, 0xff, 0xff, 0xff]), /frame of 4294967295 bytes; the limit is 10485760/],
];

describe("answers", () => {
  it("BRG-04 R20 R22 O5: results reach the client as they should, whatever their parent leaves out or adds", async ({ parent, start }) => {
    const raw = await parent({ onFrame: plain((frame, { send }) => send({ result: answers[frame.params.arguments.index]?.[1] })) });
    const bridge = start(raw.config);
    await bridge.initialize();
    for (const [index, [kind, , expected]] of answers.entries()) expect(await bridge.call("echo", { index }), kind).toEqual(expected);
    await bridge.whenLogged("sent a `structuredContent` that isn't an object; it is left out");
    expect(raw.connections).toHaveLength(1);
  });

  it("R27 R32 O3 O4: an answer that can't be read is an error that says so, and the next call works", async ({ parent, start }) => {
    const raw = await parent({
      onFrame: plain(({ params }, { send, socket }) => {
        const bytes = errors[params.arguments.index]?.[1];
        if (bytes) socket.write(bytes);
        else send(textAnswer("fine"));
      }),
    });
    const bridge = start(raw.config);
    await bridge.initialize();
    for (const [index, [kind, , reason]] of errors.entries()) {
      const failed = await bridge.call("echo", { index });
      expect(failed, kind).toMatchObject({ isError: true, _meta: { error: { type: "IPCError" } } });
      expect(failed.content[0].text).toMatch(reason);
      expect(failed.content[0].text).toContain(raw.socketPath);
      // That would be advice for the author of the other program, not for the reader.
      expect(failed.content[0].text).not.toMatch(/send (?:less|one)|encode each/i);
      expect((await bridge.call("echo")).content[0].text).toBe("fine");
    }
  });

  it("BRG-06: a parent that ends in the middle of its answer is named, with its socket", async ({ parent, start }) => {
    const raw = await parent({ onFrame: plain((_, { socket }) => socket.end(encodeFrame(textAnswer("x")).subarray(0, 20))) });
    const bridge = start(raw.config);
    await bridge.initialize();
    const failed = await bridge.call("echo");
    expect(failed).toMatchObject({ isError: true, _meta: { error: { type: "IPCConnectionError" } } });
    expect(failed.content[0].text).toBe(
      `tool "echo": the program that offers the tools ended inside a frame, in the middle of its answer; its socket is ${raw.socketPath}`,
    );
  });

  it("R24 H7: an error of the parent reaches the model with its own words and type", async ({ parent, start }) => {
    const raw = await parent({
      onFrame: plain((_, { send }) => send({ error: { message: "no such row; try 1 to 9", type: "KeyError" } })),
    });
    const bridge = start(raw.config);
    await bridge.initialize();
    expect(await bridge.call("echo")).toEqual({
      content: [{ type: "text", text: "no such row; try 1 to 9" }],
      isError: true,
      _meta: { error: { type: "KeyError" } },
    });
    await bridge.call("echo");
    expect(raw.connections).toHaveLength(1);
  });

  it("G4: an answer that is sent twice is never taken for the answer to the next call", async ({ parent, start }) => {
    const raw = await parent({
      onFrame: plain((frame, { socket }) => {
        const frames = encodeFrame(textAnswer(frame.params.arguments.n));
        socket.write(Buffer.concat([frames, frames]));
      }),
    });
    const bridge = start(raw.config, { options: ["--connections", "1"] });
    await bridge.initialize();
    const ids = Array.from({ length: 20 }, (_, n) => bridge.startCall("echo", { n: `call ${n}` }));
    const results = await Promise.all(ids.map(async (id) => (await bridge.answerTo(id)).result));
    results.forEach((result, n) => expect(result.content[0].text).toBe(`call ${n}`));
  });

  it("G4: an answer without a request costs its connection and no call", async ({ parent, start }) => {
    const raw = await parent({ onFrame: plain((_, { send }) => send(textAnswer("right"))) });
    const bridge = start(raw.config);
    await bridge.initialize();
    await bridge.call("echo");
    raw.connections[0]!.send(textAnswer("wrong"));
    await until(() => raw.connections[0]!.socket.destroyed || raw.connections[0]!.socket.readableEnded, 30_000, "the connection is closed");
    expect((await bridge.call("echo")).content[0].text).toBe("right");
    expect(raw.connections).toHaveLength(2);
  });

  it("R5 R13: a frame may come byte by byte and hold line feeds", async ({ parent, start }) => {
    const raw = await parent({
      onFrame: plain((_, { socket }) => {
        const bytes = [...encodeFrame(textAnswer("a\nb\r\n\u2028"))];
        const writeNext = (): void => {
          const byte = bytes.shift();
          if (byte !== undefined) socket.write(Buffer.from([byte]), () => setImmediate(writeNext));
        };
        writeNext();
      }),
    });
    const bridge = start(raw.config);
    await bridge.initialize();
    expect((await bridge.call("echo")).content[0].text).toBe("a\nb\r\n\u2028");
  });
});
