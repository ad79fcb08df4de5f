// The bytes on the socket: golden frames as Python writes them, frames in any pieces, sizes at the
// limit, and everything that isn't a request. Each is answered once and the connection goes on.

import { createRequire } from "node:module";
import { describe, expect } from "vitest";
import { MAX_MESSAGE_SIZE } from "../src/contract/contract.ts";
import { toCall, toFrame, type Client } from "./fixtures/parent-client.ts";
import { anyTool, echoTool, it } from "./fixtures/parent-it.ts";

const textOf = (args: Record<string, unknown>): string => String(args["text"]);
const sayTool = anyTool("say", textOf);
const failTool = anyTool("fail", () => {
  throw new RangeError("the table has no such row");
});

async function expectAlive(client: Client): Promise<void> {
  expect(await client.ask("say", { text: "alive" })).toEqual({ result: { content: [{ type: "text", text: "alive" }] } });
}

describe("golden bytes", () => {
  // What `json.dumps` writes: a space after each comma and colon, and escapes for all that is not ASCII.
  const request = '{"method": "call_tool", "params": {"name": "say", "arguments": {"text": "\\u00e9\\ud83d\\ude00\\n"}}}';

  it("R1 R2 R3 R13 R20 R23 answers a request in Python's spelling with exactly these bytes", async ({ start, connect }) => {
    const client = await connect(await start([sayTool]));
    expect(request).toHaveLength(97);
    client.sendBytes(Buffer.concat([Buffer.from("00000061", "hex"), Buffer.from(request)]));
    const received: Buffer[] = [];
    client.socket.on("data", (chunk: Buffer) => received.push(chunk));
    await client.nextBytes();
    const payload = '{"result":{"content":[{"type":"text","text":"é😀\\n"}]}}';
    expect(Buffer.byteLength(payload)).toBe(58);
    expect(Buffer.concat(received).toString("hex")).toBe(`0000003a${Buffer.from(payload).toString("hex")}`);
  });

  it("R24 R26 R34 R35 answers a missing tool and a failing one with exactly these payloads", async ({ start, connect }) => {
    const client = await connect(await start([sayTool, failTool]));
    client.call("nope");
    expect((await client.nextBytes()).toString()).toBe(
      '{"error":{"message":"there is no tool \\"nope\\"; known are: say, fail","type":"ToolNotFoundError"}}',
    );
    client.call("fail");
    expect((await client.nextBytes()).toString()).toBe(
      '{"error":{"message":"tool \\"fail\\" failed: the table has no such row","type":"RangeError"}}',
    );
    await expectAlive(client);
  });

  it("R12 an answer holds `result` or `error` and nothing else", async ({ start, connect }) => {
    const client = await connect(await start([sayTool]));
    client.send({ id: 7, jsonrpc: "2.0", ...toCall("say", { text: "x" }) });
    expect(Object.keys(await client.next())).toEqual(["result"]);
    client.send({ id: 8, method: "tools/list", jsonrpc: "2.0" });
    expect(Object.keys(await client.next())).toEqual(["error"]);
  });
});

describe("pieces", () => {
  it("R5 reads a request that comes byte by byte", async ({ start, connect }) => {
    const client = await connect(await start([sayTool]));
    client.socket.setNoDelay(true);
    for (const byte of toFrame(JSON.stringify(toCall("say", { text: "slow" })))) client.sendBytes(Buffer.of(byte));
    expect((await client.next()).result?.content[0]?.text).toBe("slow");
  });

  it("R5 R8 H1 reads three requests out of one write and answers them in order", async ({ start, connect }) => {
    const client = await connect(await start([sayTool]));
    client.sendBytes(Buffer.concat(["1", "2", "3"].map((text) => toFrame(JSON.stringify(toCall("say", { text }))))));
    const texts = [await client.next(), await client.next(), await client.next()].map(({ result }) => result?.content[0]?.text);
    expect(texts).toEqual(["1", "2", "3"]);
  });
});

describe("R29 any JSON value is an argument", () => {
  it.for([
    ["null", null],
    ["nested lists", [[[]], [1, [2, [3]]]]],
    ["2^53 and its neighbours", [2 ** 53, 2 ** 53 - 1, -(2 ** 53)]],
    ["fractions and exponents", [0.1, 1e-7, 1e308]],
    ["emoji and other scripts", "👩‍👩‍👧‍👦 漢字 עברית"],
    ["line separators and control characters", "\u2028\u2029\u0000\u001f\t\r\n"],
    ["a key called __proto__", JSON.parse('{"__proto__":{"a":1},"constructor":2}')],
    ["empty keys and values", { "": "" }],
  ] as const)("%s", async ([, value], { start, connect }) => {
    const client = await connect(await start([echoTool]));
    const { result } = await client.ask("echo", { value });
    expect(JSON.stringify(result?.structuredContent)).toBe(JSON.stringify({ value }));
  });
});

describe("WIR-18 G5 naughty strings", () => {
  it("R29 all of them come back as they went, as values and as names of arguments", async ({ start, connect }) => {
    const strings = createRequire(import.meta.url)("big-list-of-naughty-strings") as string[];
    expect(strings.length).toBeGreaterThan(450);
    const client = await connect(await start([echoTool]));
    const args = { values: strings, names: strings.map((text) => ({ [text]: text })) };
    expect((await client.ask("echo", args)).result?.structuredContent).toEqual(args);
  });

  it("R17 none of them is the name of a tool, unless there is one", async ({ start, connect }) => {
    const strings = (createRequire(import.meta.url)("big-list-of-naughty-strings") as string[]).filter((text) => text !== "");
    const names = [...new Set(strings)];
    const client = await connect(await start(names.filter((_, index) => index % 2 === 0).map((name) => anyTool(name, () => name))));
    for (const [index, name] of names.entries()) {
      const { result, error } = await client.ask(name);
      expect(index % 2 === 0 ? result?.content[0]?.text : error?.type).toBe(index % 2 === 0 ? name : "ToolNotFoundError");
    }
  });
});

describe("what isn't a request", () => {
  it.for([
    ["an empty frame", "", "IPCError", /empty frame/],
    ["half an object", "{", "IPCError", /not valid JSON/],
    ["bytes that aren't UTF-8", Buffer.from([0x22, 0xff, 0x22]), "IPCError", /UTF-8/],
    ["half a surrogate pair", '{"method":"\\ud800"}', "IPCError", /surrogate/],
    ["JSON of 129 levels", "[".repeat(129) + "]".repeat(129), "IPCError", /128 levels/],
    ["a list", "[]", "ValueError", /JSON object/],
    ["null", "null", "ValueError", /JSON object/],
    ["a text", '"call_tool"', "ValueError", /JSON object/],
    ["an object without a method", "{}", "ValueError", /call_tool/],
    ["another method", '{"method":"x","params":{}}', "ValueError", /unknown method "x"; known are: call_tool, hello/],
    ["a method of the prototype", '{"method":"toString","params":{}}', "ValueError", /unknown method/],
    ["no params", '{"method":"call_tool"}', "ValueError", /params/],
    ["params that are a list", '{"method":"call_tool","params":[]}', "ValueError", /params/],
    ["no name", '{"method":"call_tool","params":{"arguments":{}}}', "ValueError", /params\.name/],
    ["a name that isn't a text", '{"method":"call_tool","params":{"name":5,"arguments":{}}}', "ValueError", /params\.name/],
    ["no arguments", '{"method":"call_tool","params":{"name":"say"}}', "ValueError", /params\.arguments/],
    ["arguments that are null", '{"method":"call_tool","params":{"name":"say","arguments":null}}', "ValueError", /params\.arguments/],
    ["arguments that are a list", '{"method":"call_tool","params":{"name":"say","arguments":[]}}', "ValueError", /params\.arguments/],
    ["a hello without features", '{"method":"hello","params":{}}', "ValueError", /params\.features/],
  ] as const)(
    "R15 R25 R28 R32 R33 WIR-07 %s is answered with an error that says why, and the connection lives",
    async (row, { start, connect }) => {
      const [, payload, type, message] = row;
      const client = await connect(await start([sayTool]));
      client.sendBytes(toFrame(payload));
      const frame = await client.next();
      expect(frame).toEqual({ error: { message: expect.stringMatching(message) as string, type } });
      await expectAlive(client);
      expect(client.unread).toBe(0);
    },
  );

  it("R17 R34 a name is looked up as it is: prototypes, spaces and case do not help", async ({ start, connect }) => {
    const client = await connect(await start([sayTool]));
    for (const name of ["", "toString", "__proto__", " say", "SAY", "say\u0000", "x".repeat(100_000)]) {
      const { error } = await client.ask(name);
      expect(error?.type).toBe("ToolNotFoundError");
      expect(error?.message.length).toBeLessThan(400);
      expect(error?.message).toContain("known are: say");
    }
    await expectAlive(client);
  });

  it("R17 R34 a session without tools says that it has none", async ({ start, connect }) => {
    const client = await connect(await start([]));
    expect((await client.ask("x")).error).toEqual({ message: 'there is no tool "x"; this program offers none', type: "ToolNotFoundError" });
  });
});

describe("sizes", () => {
  /** A request of exactly this many bytes. */
  function requestOf(bytes: number): Buffer {
    const empty = Buffer.byteLength(JSON.stringify(toCall("size", { text: "" })));
    return Buffer.from(JSON.stringify(toCall("size", { text: "x".repeat(bytes - empty) })));
  }
  const sizeTool = anyTool("size", (args) => String(textOf(args).length));
  const envelope = Buffer.byteLength('{"result":{"content":[{"type":"text","text":""}]}}');
  const fillTool = anyTool("fill", ({ bytes }) => "x".repeat(Number(bytes) - envelope));

  it("R9 WIR-02 takes a request of exactly 10,485,760 bytes and refuses one more byte", async ({ start, connect }) => {
    const client = await connect(await start([sizeTool, sayTool]));
    const largest = requestOf(MAX_MESSAGE_SIZE);
    expect(largest).toHaveLength(10_485_760);
    client.sendBytes(toFrame(largest));
    expect(Number((await client.next()).result?.content[0]?.text)).toBeGreaterThan(10_485_000);
    client.sendBytes(toFrame(requestOf(MAX_MESSAGE_SIZE + 1)));
    const { error } = await client.next();
    expect(error?.type).toBe("IPCMessageSizeError");
    expect(error?.message).toContain("10485761");
    expect(error?.message).toContain("10485760");
    await expectAlive(client);
  });

  it("R9 R31 H5 O3 O4 sends an answer of exactly 10,485,760 bytes; one more byte becomes an error with both sizes", async ({
    start,
    connect,
  }) => {
    const client = await connect(await start([fillTool, sayTool]));
    client.call("fill", { bytes: MAX_MESSAGE_SIZE });
    expect(await client.nextBytes()).toHaveLength(10_485_760);
    const { error } = await client.ask("fill", { bytes: MAX_MESSAGE_SIZE + 1 });
    expect(error?.type).toBe("IPCMessageSizeError");
    expect(error?.message).toMatch(
      /^the result of tool "fill" can't be sent: frame of 10485761 bytes; the limit is 10485760\b.*Return less/,
    );
    await expectAlive(client);
  });

  it("R9 G2 a frame that is announced with 64 MiB is skipped, one with more ends the connection after its error", async ({
    start,
    connect,
  }) => {
    const session = await start([sayTool]);
    const patient = await connect(session);
    const skipped = 64 * 1_048_576;
    patient.sendBytes(Buffer.from("04000000", "hex"));
    expect((await patient.next()).error?.type).toBe("IPCMessageSizeError");
    const megabyte = Buffer.alloc(1_048_576);
    for (let sent = 0; sent < skipped; sent += megabyte.length) patient.sendBytes(megabyte);
    await expectAlive(patient);
    const lost = await connect(session);
    lost.sendBytes(Buffer.from("ffffffff", "hex"));
    expect((await lost.next()).error?.message).toContain("4294967295");
    await lost.closed;
    await expectAlive(await connect(session));
  });
});
