// The two sides of a bridge. The parent that it meets in most scenarios has one tool, called `echo`, whose call is answered
// with its argument `text`. It knows `call_tool` and nothing else; a `hello` gets the error that the contract gives to an
// unknown method. The client's side of MCP follows: the handshake, calls, and what an answer may look like.

import type { Step } from "../scenario.ts";
import type { Answer, Setup } from "../setup.ts";

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

/** What is answered to a call whose text is this one. */
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

/** The request that a bridge sends for a call with this text, to the letter of the contract. */
export const callTool = (text: string): object => ({
  $equals: { method: "call_tool", params: { name: "echo", arguments: { text } } },
});

/** What has come to the parent until now: since it was answered, there is nothing to wait for. */
export const seen = (facts: { readonly connections?: number; readonly open?: number; readonly requests?: unknown }): Step => ({
  expectFacts: facts,
  withinMs: 1,
});

// --- the client

export const request = (id: string, method: string, params?: object): Step => ({
  send: { jsonrpc: "2.0", id, method, ...(params && { params }) },
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

export const call = (id: string, args?: object, name = "echo"): Step =>
  request(id, "tools/call", { name, ...(args && { arguments: args }) });

const isNoError = { $either: [false, { $absent: true }] };

/** A result that isn't an error, with one text. */
export const answered = (id: string, text: unknown): object => ({
  ...{ jsonrpc: "2.0", id, error: { $absent: true } },
  result: { content: [{ type: "text", text }], isError: isNoError },
});

/** A result that isn't an error, with any content. */
export const succeeded = (id: string, content: unknown = { $length: { min: 1 } }): object => ({
  ...{ jsonrpc: "2.0", id, error: { $absent: true } },
  result: { content, isError: isNoError },
});

/**
 * An MCP error whose text has these words. The contract leaves open whether that is a JSON-RPC error or a result with
 * `isError`, so both match.
 */
export const failed = (id: string, words = "."): object => ({
  $either: [
    { jsonrpc: "2.0", id, result: { $absent: true }, error: { code: { $type: "number" }, message: { $regex: words } } },
    {
      ...{ jsonrpc: "2.0", id, error: { $absent: true } },
      result: { isError: true, content: { $some: { type: "text", text: { $regex: words } } } },
    },
  ],
});
