// A peer that shares no line with us: a bridge in Python, written from the contract.

import { describe, expect } from "vitest";
import { defineTool } from "@hawser/tools";
import { anyTool, echoTool, fixturePath, itWithPython, type StartProgram, type StartSession } from "./fixtures/parent-it.ts";

const tools = [
  echoTool,
  anyTool("say", ({ text }) => text),
  anyTool("fail", () => {
    throw new RangeError("no such row");
  }),
  defineTool({ name: "typed", description: "", input: { type: "object", properties: { n: { type: "number" } } }, run: ({ n }) => n }),
];

async function runPython(start: StartSession, run: StartProgram, scenario: string): Promise<Record<string, unknown>> {
  const session = await start(tools);
  const program = run("python3", [fixturePath("parent-client.py"), session.socketPath, scenario]);
  expect(await program.ended, program.stderr).toEqual({ code: 0, signal: null });
  return JSON.parse(program.stdout) as Record<string, unknown>;
}

const text = (value: string): object => ({ content: [{ type: "text", text: value }] });

describe("a bridge in Python", () => {
  itWithPython("R2 R3 R13 R15 R20 R24 R26 R29 R34 is served by the contract", async ({ start, run }) => {
    const echoed = { text: "a\nb é 😀 \u2028", none: null, big: 2 ** 53, deep: [[{ x: [1.5] }]] };
    expect(await runPython(start, run, "plain")).toEqual({
      answers: [
        { result: { ...text(JSON.stringify(echoed)), structuredContent: echoed } },
        { error: { type: "ToolNotFoundError", message: 'there is no tool "nope"; known are: echo, say, fail, typed' } },
        { error: { type: "RangeError", message: 'tool "fail" failed: no such row' } },
        {
          error: {
            type: "ToolInputValidationError",
            message:
              'invalid arguments for tool "typed": /n: Instance type "string" is invalid. Expected "number". Correct them and call again',
          },
        },
        { result: text("5") },
      ],
    });
  });

  itWithPython("R2 H19 carries 3 MB of CJK both ways, escaped by Python or not", async ({ start, run }) => {
    const { characters, seen } = await runPython(start, run, "cjk");
    expect(characters).toBe(1_048_576);
    const received = 1_048_576 * 3 + '{"result":{"content":[{"type":"text","text":""}]}}'.length;
    const envelope = '{"method": "call_tool", "params": {"name": "say", "arguments": {"text": ""}}}'.length;
    expect(seen).toEqual([
      { sent: 1_048_576 * 6 + envelope, received },
      { sent: 1_048_576 * 3 + envelope, received },
    ]);
  });

  itWithPython("R28 R32 R33 goes on after an unknown method and after half an object", async ({ start, run }) => {
    expect(await runPython(start, run, "unknown")).toMatchObject({
      answers: [{ error: { type: "ValueError" } }, { error: { type: "IPCError" } }, { result: text("alive") }],
    });
  });

  itWithPython("H1 WIR-19 may use a connection once and close its side at once", async ({ start, run }) => {
    expect(await runPython(start, run, "one_shot")).toEqual({ answers: [{ result: text("once") }] });
  });
});
