// The two sides of a bridge. In most scenarios the parent has one tool, `echo`, and answers its call with the argument `text`. It
// knows only `call_tool`: a `hello` gets the contract's error for an unknown method. The client's side of MCP follows.

import type { Answer, Setup, Step } from "../scenario.ts";

const calling = (args: object): object => ({ method: "call_tool", params: { arguments: args } });

export const textResult = (text: unknown): object => ({ content: [{ type: "text", text }], isError: false });

export const refusesHello: Answer = {
  when: { method: "hello" },
  send: { error: { message: "unknown method: hello", type: "ValueError" } },
  aside: true,
};

export const echoes: Answer = {
  when: calling({ text: { $bind: "text" } }),
  send: { result: textResult({ $same: "text" }) },
};

/** The answer to a call with this text. */
export const when = (text: string, answer: Omit<Answer, "when">): Answer => ({ when: calling({ text }), ...answer });

export const tool = (name: string): object => ({
  name,
  description: `The tool ${name}`,
  input_schema: { type: "object", properties: { text: { type: "string" } } },
});

/** The usual setup, with these answers before the usual ones. */
export const setupWith = (...answers: readonly Answer[]): Setup => ({
  schema: [tool("echo")],
  answers: [...answers, echoes, refusesHello],
});

/** A setup in which every call is answered like this. */
export const answering = (answer: Omit<Answer, "when">): Setup => setupWith({ when: { method: "call_tool" }, ...answer });

/** The request that a bridge sends for a call, to the letter of the contract. */
export const calledWith = (args: object): object => ({ $equals: { method: "call_tool", params: { name: "echo", arguments: args } } });
export const callTool = (text: string): object => calledWith({ text });

/** What the parent has received: since it was answered, there is nothing to wait for. */
export const seen = (facts: { readonly connections?: number; readonly open?: number; readonly requests?: unknown }): Step => ({
  expectFacts: facts,
  withinMs: 1,
});

// --- the client

interface Request {
  readonly send: { readonly id: string };
}

export const request = (id: string, method: string, params?: object): Request => ({
  send: { jsonrpc: "2.0", id, method, ...(params && { params }) } as Request["send"],
});

export const handshake = (protocolVersion: string): readonly Step[] => [
  request("init", "initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "hawser-conform", version: "1.0.0" } }),
  {
    expect: {
      jsonrpc: "2.0",
      id: "init",
      result: {
        protocolVersion: { $regex: "^20\\d\\d-\\d\\d-\\d\\d$" },
        capabilities: { tools: { $type: "object" } },
        serverInfo: { name: { $type: "string" } },
      },
    },
  },
  { send: { jsonrpc: "2.0", method: "notifications/initialized" } },
];

export const initialize = handshake("2025-11-25");

export const call = (id: string, args?: object, name = "echo"): Request =>
  request(id, "tools/call", { name, ...(args && { arguments: args }) });

/** A result that isn't an error. */
export const succeeded = (id: string, content: unknown = { $length: { min: 1 } }): object => ({
  ...{ jsonrpc: "2.0", id, error: { $absent: true } },
  result: { content, isError: { $either: [false, { $absent: true }] } },
});

export const answered = (id: string, text: unknown): object => succeeded(id, [{ type: "text", text }]);

/** An MCP error with these words: a JSON-RPC error or a result with `isError`, since the contract allows both. */
export const failed = (id: string, words = "."): object => ({
  $either: [
    { jsonrpc: "2.0", id, result: { $absent: true }, error: { code: { $type: "number" }, message: { $regex: words } } },
    {
      ...{ jsonrpc: "2.0", id, error: { $absent: true } },
      result: { isError: true, content: { $some: { type: "text", text: { $regex: words } } } },
    },
  ],
});

// --- a call and its answer, which comes next

export const answers = (step: Request, text: unknown): Step[] => [step, { expect: answered(step.send.id, text) }];
export const fails = (step: Request, words?: string): Step[] => [step, { expect: failed(step.send.id, words) }];

/** Each text is called on its own and comes back. */
export const echoed = (...texts: readonly string[]): Step[] => texts.flatMap((text, index) => answers(call(`c${index}`, { text }), text));
