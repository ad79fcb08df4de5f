// The client's side of MCP as steps and patterns: the handshake, calls, and what an answer may look
// like. The contract says "MCP error" and leaves open whether that is a JSON-RPC error or a result
// with `isError`, so a failure matches both.

import type { Step } from "../scenario.ts";

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

/** A result that is no error, with one text. */
export const answered = (id: string, text: unknown): object => ({
  ...{ jsonrpc: "2.0", id, error: { $absent: true } },
  result: { content: [{ type: "text", text }], isError: isNoError },
});

/** A result that is no error, with any content. */
export const succeeded = (id: string, content: unknown = { $length: { min: 1 } }): object => ({
  ...{ jsonrpc: "2.0", id, error: { $absent: true } },
  result: { content, isError: isNoError },
});

/** An MCP error in either form, whose text has these words. */
export const failed = (id: string, words = "."): object => ({
  $either: [
    { jsonrpc: "2.0", id, result: { $absent: true }, error: { code: { $type: "number" }, message: { $regex: words } } },
    {
      ...{ jsonrpc: "2.0", id, error: { $absent: true } },
      result: { isError: true, content: { $some: { type: "text", text: { $regex: words } } } },
    },
  ],
});
