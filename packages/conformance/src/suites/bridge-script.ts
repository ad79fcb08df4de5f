// The parent that a bridge meets in most scenarios: one tool, called `echo`, whose call is answered
// with its argument `text`. It knows `call_tool` and nothing else; a `hello` gets the error that the
// contract gives to an unknown method.

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
