// igw-rpc-v1: a host makes many calls of an HTTP API through one child process, one JSON object per line each way. The envelopes are
// the contract; `params`, `data.errorInfo` and the response of a failed call are additions that a host may ignore.

import * as v from "valibot";
import { defineProtocol, type RequestOf, type ResponseOf } from "./define-protocol.ts";
import { anything, described, flag, jsonObject, number, text, texts } from "./described.ts";

const milliseconds = (description: string) => v.pipe(v.number(), v.minValue(0), v.description(description));
const semver = (description: string) => v.pipe(v.string(), v.regex(/^\d+\.\d+\.\d+$/), v.description(description));

const id = v.optional(anything("Any JSON value; echoed byte for byte. Missing or `null`: not echoed."));

/** One call, as `call`, `call --batch` and `rpc` take it. */
export const callItem = v.object({
  op: v.optional(text("An operation id of the OpenAPI document, matched without case. Not together with `method` or `path`.")),
  method: v.optional(text("The HTTP method; `GET` unless given.")),
  path: v.optional(text("The path below the gateway's address; may carry a query.")),
  params: v.optional(
    jsonObject("Additive. The operation's parameters by name, whether they belong in path, query, header, cookie or `body`."),
  ),
  query: v.optional(texts("Entries `key=value`.")),
  headers: v.optional(texts("Entries `Key: value`. The token's header can't be given.")),
  body: v.optional(anything("A string is sent as it is; any other value as the content type says.")),
  bodyEncoding: v.optional(described(v.literal("base64"), "Additive. `body` is base64 text of the bytes to send.")),
  contentType: v.optional(text("`application/json` unless given.")),
  dryRun: v.optional(flag("Adds `dryRun=true` to the query; the request is sent.")),
  yes: v.optional(flag("Needed for POST, PUT, PATCH and DELETE.")),
  retry: v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100), v.description("How often to try again; idempotent methods only.")),
  ),
  retryBackoff: v.optional(text("A duration: the first wait before trying again; `250ms` unless given.")),
  timeout: v.optional(text("A duration (`8s`, `250ms`, `1m30s`) for the whole call.")),
});

export type CallItem = v.InferOutput<typeof callItem>;

const timeNames = ["totalMs", "dnsMs", "connectMs", "tlsHandshakeMs", "firstByteMs", "requestWriteDoneMs", "bodyReadMs"] as const;

/** `data.stats` of a call; hosts check `version`. */
export const callStats = v.object({
  version: v.literal(1),
  timingMs: milliseconds("From the start of the call to its end."),
  bodyBytes: number("Decoded bytes of the response's body that were kept."),
  http: v.optional(
    described(
      v.object(v.entriesFromList(timeNames, v.optional(v.number()))),
      "Times within the last try; those of a connection only where one was opened for it.",
    ),
  ),
  truncated: v.optional(v.boolean()),
  rpc: v.optional(v.object({ queueWaitMs: v.number(), queueDepth: v.number() })),
});

export type CallStats = v.InferOutput<typeof callStats>;

/** `data` of a `call`, also of a failed one as far as it came. */
export const callData = v.object({
  request: v.optional(v.object({ method: v.string(), url: v.string() })),
  response: v.optional(
    v.object({
      status: v.number(),
      headers: v.optional(v.record(v.string(), v.array(v.string()))),
      body: v.string(),
      bytes: v.number(),
      truncated: v.optional(v.boolean()),
      bodyEncoding: v.optional(v.literal("base64")),
    }),
  ),
  timingMs: v.optional(v.number()),
  stats: v.optional(callStats),
  cancelled: v.optional(flag("In every failed call: whether it ended because it was cancelled.")),
  errorInfo: v.optional(v.object({ kind: v.string(), retryable: v.boolean(), hint: v.optional(v.string()) })),
});

export type CallData = v.InferOutput<typeof callData>;

/** `data` of a `hello`: what a host checks before it sends work. */
export const helloData = v.object({
  protocol: v.string(),
  protocolSemver: semver("Version of the envelope and the operations."),
  minHostSemver: semver("The oldest host that this server works with."),
  version: v.string(),
  features: v.record(v.string(), v.boolean()),
  ops: v.array(v.string()),
});

export type HelloData = v.InferOutput<typeof helloData>;

export const RPC_PROTOCOL = "igw-rpc-v1";
export const RPC_SEMVER = "1.1.0";
export const RPC_MIN_HOST_SEMVER = "1.0.0";

const request = <const Op extends string, Args extends v.GenericSchema>(op: Op, args: Args) =>
  v.object({ id, op: v.literal(op), args: v.optional(args) });
const ignored = anything("Ignored.");

export const rpcProtocol = defineProtocol({
  name: "rpc",
  family: RPC_PROTOCOL,
  version: RPC_SEMVER,
  summary: "Makes calls of an HTTP API for a host program, through one long-lived child (`igw-rpc-v1`).",
  conversation: [
    "The host starts `hawser rpc` and writes to its stdin; answers come on its stdout. stderr is for people.",
    "Each message is one line: JSON in UTF-8 without a line feed inside, ended by a line feed (a carriage return before it is ignored). At most 10,485,760 bytes; a longer line is skipped and answered with an error. Blank lines are ignored.",
    "Requests are taken in order. With one worker the answers of calls keep it; with more they come as they are ready, and `id` tells whose they are.",
    "`hello`, `capability`, `cancel` and `reload_config` overtake calls that wait; `shutdown` does not. When the queue is full, up to 1 MiB of calls (`rpcReadAheadBytes`) is read ahead for them; then nothing is read until a call ends. The feature `readAhead` says so.",
    "When the input ends, what was accepted is finished (up to 10 seconds) and the process exits with 0. `shutdown` does the same and is answered last.",
  ],
  requests: {
    tag: "op",
    messages: {
      hello: {
        summary: "Asks who serves. Answered with `protocol`, `protocolSemver`, `minHostSemver`, `version`, `features` and `ops`.",
        schema: request("hello", ignored),
        answer: helloData,
        examples: [{ id: "req-1", op: "hello", args: { name: "rpcWorkers" } }],
      },
      capability: {
        summary: "Asks for one feature (`{name, supported}`), or without a name for all (`{protocol, protocolSemver, features}`).",
        schema: request("capability", v.object({ name: v.optional(text("Matched without case.")) })),
        answer: v.union([
          v.object({ name: text("The feature in its own spelling."), supported: v.boolean() }),
          v.object({ protocol: v.string(), protocolSemver: semver("As in `hello`."), features: v.record(v.string(), v.boolean()) }),
        ]),
        examples: [
          { id: "req-2", op: "capability", args: { name: "rpcWorkers" } },
          { id: "req-3", op: "capability" },
        ],
      },
      call: {
        summary: "Makes one call. Waits its turn; the only operation that does.",
        schema: request("call", callItem),
        answer: callData,
        examples: [
          { id: "req-4", op: "call", args: { method: "GET", path: "/data/api/v1/gateway-info", timeout: "30s" } },
          { id: 5, op: "call", args: { op: "listLogs", params: { limit: 5 } } },
        ],
      },
      cancel: {
        summary: "Ends every waiting or running call of an id. Answered with `{id, cancelled, count}`; an unknown id is not an error.",
        schema: request(
          "cancel",
          v.object({
            id: v.optional(anything("The id of the call.")),
            requestId: v.optional(anything("The same under its other name; goes before `id`.")),
          }),
        ),
        answer: v.object({
          id: anything("The id that was given."),
          cancelled: flag("Whether a call had it."),
          count: number("Additive. How many calls had it."),
        }),
        examples: [{ id: "req-6", op: "cancel", args: { id: "req-4" } }],
      },
      reload_config: {
        summary: "Reads configuration and API document anew, for the calls that come after. Broken ones are refused and the old ones stay.",
        schema: request("reload_config", ignored),
        answer: v.object({ reloaded: v.literal(true) }),
        examples: [{ id: "req-7", op: "reload_config" }],
      },
      shutdown: {
        summary: "Ends the reading at once; answered last, after every accepted call.",
        schema: request("shutdown", v.object({ mode: v.optional(described(v.literal("now"), "Additive. Cancels what waits and runs.")) })),
        answer: v.object({ shutdown: v.literal(true) }),
        examples: [{ id: "req-8", op: "shutdown" }],
      },
    },
  },
  responses: {
    tag: null,
    messages: {
      ok: {
        summary: "Ends a request. One per request, in any order when there are several workers.",
        schema: v.object({
          id,
          ok: flag("Whether the operation succeeded."),
          code: described(
            v.picklist([0, 2, 6, 7]),
            "0 success, 2 usage or configuration, 6 authentication (401, 403), 7 network and every other HTTP failure.",
          ),
          status: v.optional(number("The HTTP status, also of a failed call.")),
          data: v.optional(
            anything(
              "What the operation answers. For `call`: `request`, `response`, `timingMs`, `stats` and, when it failed, `cancelled` (true or false) and `errorInfo {kind, retryable, hint}`.",
            ),
          ),
          error: v.optional(text("What went wrong, for people. Present when `ok` is false.")),
        }),
        examples: [
          {
            id: "req-4",
            ok: true,
            code: 0,
            status: 200,
            data: {
              request: { method: "GET", url: "http://127.0.0.1:8088/data/api/v1/gateway-info" },
              response: { status: 200, body: '{"name":"demo"}', bytes: 15 },
              timingMs: 3,
              stats: { version: 1, timingMs: 3, bodyBytes: 15, rpc: { queueWaitMs: 0, queueDepth: 0 } },
            },
          },
          {
            id: 5,
            ok: false,
            code: 6,
            status: 401,
            error: "http 401: token missing or invalid",
            data: {
              cancelled: false,
              errorInfo: {
                kind: "auth",
                retryable: false,
                hint: "give a valid one: hawser config set --api-key-stdin, with --profile for that of a profile, or IGNITION_API_TOKEN",
              },
            },
          },
          { ok: false, code: 2, error: "invalid rpc request json: not JSON", data: { line: 3 } },
        ],
      },
    },
  },
});

export type RpcRequest = RequestOf<typeof rpcProtocol>;
export type RpcResponse = ResponseOf<typeof rpcProtocol>;
