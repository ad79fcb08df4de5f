// Numbers that JavaScript can't hold, on their way from an MCP client over the bridge to the program that owns the functions.
// A program in another language gets them and its results come back as they are; a function in JavaScript is not
// called with another number.

import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished } from "vitest";
import { toolLimits } from "../../../tools/src/limits.ts";
import { defineTool, it, type RawBridge } from "./bridges.ts";

const args = '{"id":9007199254740993,"deep":[{"big":1e400,"small":-1e-400}],"plain":[0,-0,0.10,1e2]}';
const line = (id: number, name: string, meta: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args},"_meta":${meta}}}`;
// The second of them goes through the MCP library, see short-calls.test.ts.
const ways = ["{}", '{"baggage":""}'];

/** The next line of stdout, as it is. */
async function nextLine(bridge: RawBridge): Promise<string> {
  const lines = createInterface({ input: bridge.process.stdout });
  const [text] = (await once(lines, "line")) as [string];
  lines.close();
  return text;
}

describe("G5 a number that JavaScript can't hold", () => {
  it("passes the bridge as it was written, as an argument and in a result, whichever way a call goes", async ({ parent, start }) => {
    const result = '{"content":[{"type":"text","text":"[9007199254740993]"}],"_meta":{"big":12345678901234567890}}';
    const received: string[] = [];
    const raw = await parent({ onFrame: () => {} });
    raw.server.on("connection", (socket) => {
      socket.on("data", (chunk: Buffer) => {
        const text = chunk.toString("utf8", 4);
        received.push(text);
        const body = Buffer.from(
          text.includes("call_tool") ? `{"result":${result}}` : '{"error":{"message":"unknown","type":"ValueError"}}',
        );
        const prefix = Buffer.alloc(4);
        prefix.writeUInt32BE(body.length);
        socket.write(Buffer.concat([prefix, body]));
      });
    });
    const bridge = start(raw.config);
    await bridge.initialize();
    for (const [at, meta] of ways.entries()) {
      bridge.write(line(10 + at, "echo", meta));
      const answer = await nextLine(bridge);
      expect(received.at(-1)).toContain('{"id":9007199254740993,"deep":[{"big":1e400,"small":-1e-400}],"plain":[0,-0,0.1,100]}');
      expect(answer).toContain('"big":12345678901234567890');
      expect(answer).toContain('"structuredContent":{"result":[9007199254740993]}');
    }
  });

  it("is refused where a function would get another one: the place and the number are named, and it is not called", async ({
    serve,
    start,
  }) => {
    let calls = 0;
    const echo = defineTool({ name: "echo", description: "", input: { type: "object" }, run: () => `call ${++calls}` });
    const bridge = start((await serve([echo])).mcpServerConfig);
    await bridge.initialize();
    for (const [at, meta] of ways.entries()) {
      bridge.write(line(10 + at, "echo", meta));
      expect((await bridge.answerTo(10 + at)).result).toMatchObject({
        isError: true,
        content: [
          {
            text: 'invalid arguments for tool "echo": /id: 9007199254740993 would become 9007199254740992 as a JavaScript number; send it as a string. Correct them and call again',
          },
        ],
        _meta: { error: { type: "ToolInputValidationError" } },
      });
    }
    // The id of the request itself is not an argument, and a number that can be held is not refused.
    bridge.write(
      '{"jsonrpc":"2.0","id":9007199254740991,"method":"tools/call","params":{"name":"echo","arguments":{"n":[0,-0,1.10,1e2]}}}',
    );
    expect((await bridge.answerTo(9_007_199_254_740_991)).result.content[0].text).toBe("call 1");
  });
});

function allowMembers(count: number): void {
  const { argumentMembers } = toolLimits;
  toolLimits.argumentMembers = count;
  onTestFinished(() => void (toolLimits.argumentMembers = argumentMembers));
}

describe("SEC-05 arguments of which one object has more members than are allowed", () => {
  it("are refused before they are checked, and the function is not called; a list of as many is not", async ({ serve, start }) => {
    allowMembers(1_000);
    let calls = 0;
    const count = defineTool({ name: "count", description: "", input: { type: "object" }, run: () => `call ${++calls}` });
    const bridge = start((await serve([count])).mcpServerConfig);
    await bridge.initialize();
    const call = (id: number, value: unknown): void =>
      bridge.write(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "count", arguments: { value } } }));
    const items = Array.from({ length: 1_001 }, (_, n) => n + 1);
    call(10, Object.fromEntries(items.map((n) => [`m${n}`, n])));
    expect((await bridge.answerTo(10)).result).toMatchObject({
      isError: true,
      content: [
        {
          text: 'invalid arguments for tool "count": (arguments): an object has more than 1000 members; send a list instead. Correct them and call again',
        },
      ],
      _meta: { error: { type: "ToolInputValidationError" } },
    });
    call(11, items);
    expect((await bridge.answerTo(11)).result.content[0].text).toBe("call 1");
  });
});
