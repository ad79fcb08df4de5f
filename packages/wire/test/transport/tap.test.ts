// The protocol log of a real process: what it shows, what it hides, and that a peer can't write
// into it.

import { describe, expect, it } from "vitest";
import { redact, tapFromEnvironment } from "../../src/transport/stream-transport.ts";
import { processorTimeOf } from "../../../../test/kit/processor-time.ts";
import { exitOf, textOf } from "../../../../test/kit/node-programs.ts";
import { startFixture } from "../pipes.ts";

/** What the echo process logs when it gets these lines. */
async function logOf(lines: readonly string[], debug = "protocol"): Promise<string[]> {
  const child = startFixture("echo-stdio.ts", [], { HAWSER_DEBUG: debug });
  const [log] = [textOf(child.stderr), textOf(child.stdout)];
  child.stdin.end(lines.map((line) => `${line}\n`).join(""));
  expect(await exitOf(child)).toEqual({ code: 0, signal: null });
  return (await log).split("\n").slice(0, -1);
}

describe("of a process with HAWSER_DEBUG=protocol", () => {
  it("R143 R144 shows every message with its direction, what it is and its id", async () => {
    const log = await logOf(['{"id":"7","kind":"echo","value":"hello"}', '{"id":8,"op":"zzz"}', "broken"]);
    expect(log).toContain('[RECV] echo 7 {"id":"7","kind":"echo","value":"hello"}');
    expect(log).toContain('[SEND] echoed 7 {"id":"7","type":"echoed","value":"hello"}');
    expect(log).toContain('[RECV] zzz 8 {"id":8,"op":"zzz"}');
    expect(log.find((line) => line.startsWith("[SEND] error 8 "))).toContain('"code":"invalid_message"');
    expect(log.find((line) => line.startsWith('[RECV] {"refused"'))).toContain("not valid JSON");
    expect(log.length).toBe(6);
  });

  it("G7 hides secrets by their names and by their looks, and shows streamed pieces of text", async () => {
    const canaries = [
      "canary-password",
      "sk-canary0123456789abcdef",
      "canary-cookie",
      "ghp_canary0123456789abcdefgh",
      "canary-bearer-0123",
    ];
    const value = {
      password: canaries[0],
      note: `use ${canaries[1]} for it`,
      headers: { "Set-Cookie": [canaries[2]], Authorization: `Bearer ${canaries[4]}` },
      list: [{ deep: canaries[3] }, `Bearer ${canaries[4]}`],
    };
    const log = await logOf([JSON.stringify({ id: "1", kind: "echo", value }), '{"id":"2","type":"token","token":"Hel"}']);
    for (const canary of canaries) expect(log.join("\n")).not.toContain(canary);
    expect(log.join("\n")).toContain("[redacted]");
    expect(log).toContain('[RECV] token 2 {"id":"2","type":"token","token":"Hel"}');
  });

  it("is cut to a readable length, and a peer can neither forge a line nor flood it through an id", async () => {
    const log = await logOf([
      JSON.stringify({ id: "long", kind: "echo", value: "x".repeat(1_000_000) }),
      JSON.stringify({ id: "y".repeat(1_000_000), kind: "echo", value: 1 }),
      JSON.stringify({ id: "a\n[SEND] forged 1 {}\u001b[31m", kind: "zzz" }),
    ]);
    expect(log.length).toBe(6);
    expect(log.every((line) => line.length < 2_300 && /^\[(SEND|RECV)\] /.test(line))).toBe(true);
    expect(log.join("")).not.toContain("\u001b");
    expect(log[0]).toMatch(/… \(1000038 characters\)$/);
  });

  it("R144 with HAWSER_DEBUG=protocol-full shows whole messages, on one line each, and still hides secrets", async () => {
    // Both lines fit into the buffer of a pipe: a process does not wait for a slow reader of its log when it ends.
    const value = { text: `line\n${"x".repeat(20_000)}`, password: "canary-password" };
    const [received, sent, ...rest] = await logOf([JSON.stringify({ id: "long", kind: "echo", value })], "protocol-full");
    const shown = JSON.stringify({ ...value, password: "[redacted]" });
    expect(received).toBe(`[RECV] echo long {"id":"long","kind":"echo","value":${shown}}`);
    expect(sent).toBe(`[SEND] echoed long {"id":"long","type":"echoed","value":${shown}}`);
    expect(rest).toEqual([]);
  });

  it("R144 hides a key also where it was sent as an id", async () => {
    const log = await logOf([JSON.stringify({ id: "sk-canary0123456789abcdef", kind: "echo", value: 1 })], "protocol-full");
    expect(log[0]).toBe('[RECV] echo [redacted] {"id":"[redacted]","kind":"echo","value":1}');
    expect(log.join("\n")).not.toContain("sk-canary");
  });

  it("survives ids that are broken in a broken line", async () => {
    const log = await logOf(['{"id":{a:b},"kind":', '{"id":"\\x","kind":', '{"id":"1","kind":"status"}']);
    expect(log.filter((line) => line.startsWith("[SEND] error")).length).toBe(2);
    expect(log.find((line) => line.startsWith("[SEND] status 1 "))).toBeDefined();
  });
});

it("logs nothing when the environment does not ask for it", async () => {
  expect(await logOf(['{"id":"7","kind":"echo","value":"hello"}'], "timing")).toEqual([]);
  expect(tapFromEnvironment({})).toBeUndefined();
  expect(tapFromEnvironment({ HAWSER_DEBUG: "protocols" })).toBeUndefined();
  expect(tapFromEnvironment({ HAWSER_DEBUG: "timing,protocol" })).toBeTypeOf("function");
});

describe("redact", () => {
  it.each([
    [{ apiKey: "x" }, '{"apiKey":"[redacted]"}'],
    [{ API_KEY: "x", "api-key": "y" }, '{"API_KEY":"[redacted]","api-key":"[redacted]"}'],
    [
      { token: "x", accessToken: 5, clientSecret: { a: 1 } },
      '{"token":"[redacted]","accessToken":"[redacted]","clientSecret":"[redacted]"}',
    ],
    [{ type: "token", token: "Hel" }, '{"type":"token","token":"Hel"}'],
    [{ credential: null, cookie: true }, '{"credential":null,"cookie":true}'],
    [{ tokens: 5, maxTokens: 100, author: "a" }, '{"tokens":5,"maxTokens":100,"author":"a"}'],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc", '"[redacted]"'],
    [undefined, "undefined"],
  ])("%j becomes %s", (value, expected) => {
    expect(redact(value)).toBe(expected);
  });

  it("says so when there is no JSON of it", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(redact(circle)).toBe("(not representable as JSON)");
    expect(redact(1n)).toBe("(not representable as JSON)");
  });

  it.each(["eyJ-", "eyJ", "Bearer ", "sk-", "ghp_", "-eyJaaaaaaaaaa"])("80,000 characters of %j do not stall it", (piece) => {
    const milliseconds = processorTimeOf(() => redact({ text: piece.repeat(80_000 / piece.length) }));
    expect(milliseconds).toBeLessThan(1_500);
  });
});
