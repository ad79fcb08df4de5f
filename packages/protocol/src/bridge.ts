// The tool bridge's socket: a bridge process asks, the program that owns the functions answers. `call_tool`, `result` and `error`
// are the contract. `hello`, `progress` and `log` are additions: a bridge says `hello` first on a connection and uses them only
// if the answer carries `hello`; a parent that does not know it is served by the contract alone.

import * as v from "valibot";
import { defineProtocol, type RequestOf, type ResponseOf } from "./define-protocol.ts";
import { described, flag, jsonObject, text, texts } from "./described.ts";

/** What a program may write: text, or a block of MCP as it is. What it reads may have other types, which pass through unchanged. */
type ContentBlock =
  | { readonly type: "text"; readonly text: string; readonly [member: string]: unknown }
  | { readonly type: "image" | "audio" | "resource" | "resource_link"; readonly [member: string]: unknown };

const contentBlock = described(
  v.looseObject({ type: v.string() }),
  '`{"type":"text","text":…}` at least; every other MCP content block passes through unchanged.',
) as v.GenericSchema<unknown> as v.GenericSchema<ContentBlock>;

export const bridgeProtocol = defineProtocol({
  name: "bridge",
  version: "1.0.0",
  summary: "Calls functions of a running program.",
  conversation: [
    "A Unix socket (on Windows a named pipe). The program that owns the functions listens; the bridge connects, as often as it has calls to carry at the same time.",
    "Each message is a frame: its length in bytes as 4 bytes, unsigned, big endian, then that many bytes of JSON in UTF-8. At most 10,485,760 bytes of JSON; a longer frame up to 64 MiB is skipped and answered with an error, and beyond that the connection ends.",
    "On one connection there is one request at a time, and its answer comes before the next request. The connection may be kept and used again. There are no ids.",
    "To cancel, the bridge closes the connection. A request is never sent twice.",
    "The bridge is started as `<command> <socket path> <schema path>`. The schema file is a JSON array of tools: `name` (string), `description` (string), `input_schema` (JSON Schema of an object).",
  ],
  requests: {
    tag: "method",
    messages: {
      call_tool: {
        summary: "Calls one function.",
        schema: v.object({
          method: v.literal("call_tool"),
          params: described(
            v.object({
              name: text("The name of a registered tool."),
              arguments: jsonObject("Conforms to the tool's input schema; the parent checks it."),
            }),
            "`name` and `arguments` of the call.",
          ),
        }),
        examples: [{ method: "call_tool", params: { name: "add", arguments: { a: 1, b: 2 } } }],
      },
      hello: {
        summary: "Additive. Tells who calls and what the bridge understands. First on a connection, or not at all.",
        schema: v.object({
          method: v.literal("hello"),
          params: described(
            v.object({
              features: texts("Of `progress`, `log`, `richContent`."),
              client: v.optional(
                described(v.object({ name: v.string(), version: v.optional(v.string()) }), "The MCP client, as it named itself."),
              ),
            }),
            "`features`, and `client` where it is known.",
          ),
        }),
        examples: [
          { method: "hello", params: { features: ["progress", "log", "richContent"], client: { name: "claude-code", version: "2.1.0" } } },
        ],
      },
    },
  },
  responses: {
    tag: null,
    messages: {
      result: {
        summary: "Ends a request: the function's result, also when it failed in a way that the model should see (`isError`).",
        schema: v.object({
          result: described(
            v.object({
              content: v.pipe(v.array(contentBlock), v.minLength(1), v.description("At least one block.")),
              isError: v.optional(flag("False unless given.")),
              structuredContent: v.optional(jsonObject("Additive, as in MCP: the result as data.")),
              _meta: v.optional(jsonObject("Additive, as in MCP.")),
              hello: v.optional(
                described(
                  v.object({ features: v.array(v.string()), privateDirectory: v.optional(v.string()) }),
                  "In the answer to `hello` only: what this parent understands, and where large results may be put.",
                ),
              ),
            }),
            "An MCP tool result.",
          ),
        }),
        examples: [
          { result: { content: [{ type: "text", text: "3" }], isError: false } },
          {
            result: {
              content: [{ type: "text", text: "hello" }],
              hello: { features: ["progress", "log"], privateDirectory: "/tmp/claudecode_ipc_0123456789abcdef0123456789abcdef.d" },
            },
          },
        ],
      },
      error: {
        summary: "Ends a request that could not be answered.",
        schema: v.object({
          error: described(
            v.object({ message: text("What happened and what to do."), type: text("The name of the error's class.") }),
            "`message` and `type`.",
          ),
        }),
        examples: [{ error: { message: 'there is no tool "ad"; known are: add', type: "ToolNotFoundError" } }],
      },
      progress: {
        summary: "Additive. How far the running call is. Any number of them before its end.",
        schema: v.object({
          progress: described(
            v.object({ progress: v.number(), total: v.optional(v.number()), message: v.optional(v.string()) }),
            "As in MCP: `progress` grows; `total` and `message` may be given.",
          ),
        }),
        examples: [{ progress: { progress: 3, total: 10, message: "third of ten" } }],
      },
      log: {
        summary: "Additive. A line about the running call.",
        schema: v.object({
          log: described(
            v.object({ level: v.picklist(["debug", "info", "warning", "error"]), message: v.string() }),
            "`level` and `message`.",
          ),
        }),
        examples: [{ log: { level: "info", message: "reading the table" } }],
      },
    },
  },
});

export type BridgeRequest = RequestOf<typeof bridgeProtocol>;
export type BridgeResponse = ResponseOf<typeof bridgeProtocol>;
