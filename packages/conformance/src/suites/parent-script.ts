// Requests to a parent and their answers, for the tools that every parent under test offers:
//   echo            returns its arguments as JSON text
//   fail            throws an error of the class ValueError with the message "boom"
//   wait  {ms}      returns "waited" after that time
//   big   {bytes}   returns a text of that length
//   empty           returns nothing

import type { Step } from "../scenario.ts";

export const toolNames = ["echo", "fail", "wait", "big", "empty"] as const;
type ToolName = (typeof toolNames)[number];

export const callTool = (name: ToolName, args: object = {}): object => ({ method: "call_tool", params: { name, arguments: args } });

/** A result with one text that isn't an error. An answer has either `result` or `error`. */
export const result = (text: unknown): object => ({
  error: { $absent: true },
  result: { content: [{ type: "text", text }], isError: { $either: [false, { $absent: true }] } },
});

export const echoed = (args: object): object => result({ $json: { $equals: args } });

/** An error as the contract has it: a message and the name of a class. */
export const error = (type: unknown = { $regex: "^\\w+$" }, message = "."): object => ({
  result: { $absent: true },
  error: { message: { $regex: message }, type },
});

export const call = (name: ToolName, args: object = {}, on: { readonly on?: string } = {}): Step => ({ send: callTool(name, args), ...on });

/** A fresh connection is served, whatever became of the others. */
export const newConnectionServed: readonly Step[] = [{ connect: "fresh" }, { expectAlive: true, on: "fresh" }];
