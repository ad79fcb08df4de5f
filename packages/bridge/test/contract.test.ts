// The names of the contract, as literals: constants, error classes, and what each of our codes is called
// on the wire. A change here breaks bridges and parents that others wrote.

import { describe, expect, expectTypeOf, it } from "vitest";
import { bridgeProtocol, errorTable, HawserError, toIPCError, type ErrorCode } from "@hawser/protocol/internal";
import * as bridge from "../src/index.ts";

describe("constants", () => {
  it("R4 R9 R45 R48 R49 R65 R76 are these seven", () => {
    const { MAX_MESSAGE_SIZE, SOCKET_PERMISSIONS, SCHEMA_FILE_PREFIX, SOCKET_FILE_PREFIX, SOCKET_FILE_SUFFIX } = bridge;
    const { LENGTH_PREFIX_SIZE, DEFAULT_TRANSPORT } = bridge;
    expect({
      MAX_MESSAGE_SIZE,
      SOCKET_PERMISSIONS,
      SCHEMA_FILE_PREFIX,
      SOCKET_FILE_PREFIX,
      SOCKET_FILE_SUFFIX,
      LENGTH_PREFIX_SIZE,
      DEFAULT_TRANSPORT,
    }).toEqual({
      MAX_MESSAGE_SIZE: 10_485_760,
      SOCKET_PERMISSIONS: 0o600,
      SCHEMA_FILE_PREFIX: "claudecode_ipc_schema_",
      SOCKET_FILE_PREFIX: "claudecode_ipc_",
      SOCKET_FILE_SUFFIX: ".sock",
      LENGTH_PREFIX_SIZE: 4,
      DEFAULT_TRANSPORT: "auto",
    });
  });
});

describe("content blocks", () => {
  it("R23 a text block has a text, which is a string; without one it does not compile", () => {
    const block: bridge.ToolResultContent = { type: "text", text: "3" };
    if (block.type === "text") expectTypeOf(block.text).toEqualTypeOf<string>();
    // @ts-expect-error: `text` is missing
    const empty: bridge.ToolResultContent = { type: "text" };
    // @ts-expect-error: `text` is a number
    const wrong: bridge.ToolResultContent = { type: "text", text: 3 };
    const picture: bridge.ToolResultContent = { type: "image", data: "", mimeType: "image/png" };
    expect([empty.type, wrong.type, picture.type]).toEqual(["text", "text", "image"]);
  });
});

const { ClaudeCodeError, IPCError, IPCConnectionError, IPCMessageSizeError, IPCToolExecutionError } = bridge;
const { BridgeStartupError, SocketPathTooLong, ToolNotFoundError, ToolInputValidationError } = bridge;
const classes = {
  ClaudeCodeError,
  IPCError,
  IPCConnectionError,
  IPCMessageSizeError,
  IPCToolExecutionError,
  BridgeStartupError,
  SocketPathTooLong,
  ToolNotFoundError,
  ToolInputValidationError,
};

describe("error classes", () => {
  const ancestors = (error: object): string[] => {
    const names: string[] = [];
    for (let at = Object.getPrototypeOf(error) as object; at !== Object.prototype; at = Object.getPrototypeOf(at) as object)
      names.push(at.constructor.name);
    return names;
  };

  it.each<[keyof typeof classes, string[], ErrorCode]>([
    ["ClaudeCodeError", ["HawserError", "Error"], "internal"],
    ["IPCError", ["ClaudeCodeError", "HawserError", "Error"], "internal"],
    ["IPCConnectionError", ["IPCError", "ClaudeCodeError", "HawserError", "Error"], "connection_lost"],
    ["IPCMessageSizeError", ["IPCError", "ClaudeCodeError", "HawserError", "Error"], "too_large"],
    ["IPCToolExecutionError", ["IPCError", "ClaudeCodeError", "HawserError", "Error"], "tool_failed"],
    ["BridgeStartupError", ["IPCError", "ClaudeCodeError", "HawserError", "Error"], "start_failed"],
    ["SocketPathTooLong", ["IPCError", "ClaudeCodeError", "HawserError", "Error"], "path_too_long"],
    ["ToolNotFoundError", ["ClaudeCodeError", "HawserError", "Error"], "tool_not_found"],
    ["ToolInputValidationError", ["ClaudeCodeError", "HawserError", "Error"], "invalid_arguments"],
  ])("R74 %s has its place, its name, its facts and its cause", (name, parents, code) => {
    const Class: typeof bridge.ClaudeCodeError = classes[name];
    const cause = new Error("why");
    const error = new Class("what", { cause, facts: { n: 1 } });
    expect(ancestors(error)).toEqual([name, ...parents]);
    expect(error).toMatchObject({ name, message: "what", code, cause, facts: { n: 1 } });
    expect(HawserError.isInstance(error)).toBe(true);
    expect(String(error)).toBe(`${name}: what`);
  });

  it("R74 R75 the struct on the wire is another thing than the class", () => {
    const payload: bridge.IPCErrorPayload = { message: "m", type: "IPCError" };
    expect(payload).not.toBeInstanceOf(bridge.IPCError);
    expect(Object.keys(payload)).toEqual(["message", "type"]);
  });
});

describe("R74 toIPCError", () => {
  it.each(Object.keys(errorTable) as ErrorCode[])(
    "R31 R74 gives %s the class that the contract demands, with code, facts and cause",
    (code) => {
      const original = new HawserError(code, "what", { facts: { n: 1 } });
      const error = toIPCError(original);
      const { ipcType } = errorTable[code];
      const hasClass = ipcType in classes;
      expect(error.name).toBe(hasClass ? ipcType : "IPCError");
      expect(error).toMatchObject({ message: "what", code, facts: { n: 1 }, cause: original });
    },
  );

  it("leaves an error of the contract as it is", () => {
    const error = new bridge.ToolNotFoundError("x");
    expect(toIPCError(error)).toBe(error);
  });
});

describe("R27 an answer has exactly one of its members", () => {
  const result = { content: [{ type: "text", text: "" }] };
  const error = { message: "m", type: "t" };

  it.each([
    { result },
    { error },
    { result: { ...result, isError: true } },
    { progress: { progress: 1 } },
    { log: { level: "info", message: "" } },
  ])("%j is one", (frame) => {
    expect(bridgeProtocol.parseResponse(frame)).toBe(frame);
  });

  it.each([
    {},
    { result, error },
    { result, progress: { progress: 1 } },
    { result: { content: [] } },
    { result: {} },
    { result: { content: [{}] } },
    { result: { ...result, isError: "no" } },
    { error: { message: "m" } },
    { error: { type: "t" } },
    { error: "text" },
    { progress: {} },
    { log: { level: "loud", message: "" } },
    null,
    [],
    "result",
  ])("R20 R21 R24 %j is none", (frame) => {
    expect(() => bridgeProtocol.parseResponse(frame)).toThrow(expect.objectContaining({ code: "invalid_message" }) as Error);
  });
});
