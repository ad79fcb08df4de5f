// The echo protocol: the smallest protocol that shows everything the wire layer does. Anyone can check with it that a host's pipes
// work before there is an agent behind them.

import * as v from "valibot";
import { defineProtocol, type RequestOf, type ResponseOf } from "./define-protocol.ts";
import { anything, idText, number, text } from "./described.ts";

const id = idText("Chosen by the client; every answer to this request carries it.");
const count = (description: string, max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(max), v.description(description));

export const echoProtocol = defineProtocol({
  name: "echo",
  version: "1.0.0",
  summary: "Answers with what it was sent, after a while or in pieces if asked to.",
  conversation: [
    "The client starts `hawser echo` and writes to its stdin; answers come on its stdout.",
    "Each message is one line: JSON in UTF-8 without a line feed inside, ended by a line feed. At most 10,485,760 bytes; a longer line is skipped and answered with an error. Blank lines are ignored.",
    "With `--codec length-prefix`, and always on a socket (`--socket`), each message is a frame instead: its length in bytes as 4 bytes, unsigned, big endian, then that many bytes of JSON in UTF-8.",
    "When the input ends, what was accepted is finished (up to 10 seconds) and the process exits with 0.",
  ],
  requests: {
    tag: "kind",
    messages: {
      echo: {
        summary: "Asks for the value back.",
        schema: v.object({ id, kind: v.literal("echo"), value: anything("Any JSON value.") }),
        examples: [{ id: "1", kind: "echo", value: { greeting: "hello", list: [1, null, "é"] } }],
      },
      sleep: {
        summary: "Asks for an answer after a time. Can be cancelled.",
        schema: v.object({ id, kind: v.literal("sleep"), ms: count("How long to wait, in milliseconds.", 3_600_000) }),
        examples: [{ id: "2", kind: "sleep", ms: 50 }],
      },
      stream: {
        summary: "Asks for many pieces, as fast as the reader takes them.",
        schema: v.object({
          id,
          kind: v.literal("stream"),
          count: count("How many pieces.", 100_000_000),
          bytes: count("How many characters of text each piece has.", 1_048_576),
        }),
        examples: [{ id: "3", kind: "stream", count: 2, bytes: 5 }],
      },
      cancel: {
        summary: "Ends the requests that carry the id `target`. Overtakes what waits; is read late only while the queue is full.",
        schema: v.object({ id, kind: v.literal("cancel"), target: text("The id of what to end.") }),
        examples: [{ id: "4", kind: "cancel", target: "2" }],
      },
      status: {
        summary: "Asks how many requests are running and waiting. Overtakes them, as `cancel` does.",
        schema: v.object({ id, kind: v.literal("status") }),
        examples: [{ id: "5", kind: "status" }],
      },
    },
  },
  responses: {
    tag: "type",
    messages: {
      echoed: {
        summary: "Ends an `echo`.",
        schema: v.object({ id, type: v.literal("echoed"), value: anything("What was sent.") }),
        examples: [{ id: "1", type: "echoed", value: { greeting: "hello", list: [1, null, "é"] } }],
      },
      piece: {
        summary: "One piece of a `stream`.",
        schema: v.object({
          id,
          type: v.literal("piece"),
          index: count("0 for the first piece.", 100_000_000),
          text: text("The piece."),
        }),
        examples: [{ id: "3", type: "piece", index: 0, text: "xxxxx" }],
      },
      status: {
        summary: "Ends a `status`.",
        schema: v.object({
          id,
          type: v.literal("status"),
          running: count("Requests that run.", Number.MAX_SAFE_INTEGER),
          waiting: count("Requests that wait for a worker.", Number.MAX_SAFE_INTEGER),
        }),
        examples: [{ id: "5", type: "status", running: 0, waiting: 0 }],
      },
      done: {
        summary: "Ends a `sleep`, a `stream` or a `cancel`.",
        schema: v.object({
          id,
          type: v.literal("done"),
          cancelled: v.optional(number("For a `cancel`: how many requests it ended.")),
        }),
        examples: [
          { id: "2", type: "done" },
          { id: "4", type: "done", cancelled: 1 },
        ],
      },
      error: {
        summary: "Ends a request that failed, was refused or was cancelled. Without `id` when no id could be read.",
        schema: v.object({
          id: v.optional(id),
          type: v.literal("error"),
          code: text("One of the error codes."),
          error: text("What happened and what to do, for people."),
        }),
        examples: [{ id: "2", type: "error", code: "cancelled", error: "cancelled by request 4" }],
      },
    },
  },
});

export type EchoRequest = RequestOf<typeof echoProtocol>;
export type EchoResponse = ResponseOf<typeof echoProtocol>;
