// What keeps the memory of an rpc server small at its two ends: mistakes of a host, and answers that grow
// once they are written.

import { JsonText, wireLimits } from "@hawser/wire/internal";
import { ndjson } from "@hawser/wire/node";
import { describe, expect, it } from "vitest";
import { toCallText } from "../../src/rpc/rpc-answer.ts";
import { rpcCodec } from "../../src/rpc/rpc-codec.ts";
import { succeeded } from "./scripted-core.ts";

describe("lines that are no JSON", () => {
  it("RPC-16 G10 thousands of them in one chunk bring one error, without a stack", () => {
    const before = Error.stackTraceLimit;
    const items = rpcCodec.createDecoder().push(Buffer.from("x\n".repeat(5_000)));
    const errors = new Set(items.map((item) => (item.kind === "refused" ? item.error : undefined)));
    expect(items.map(({ position }) => position)).toEqual(Array.from({ length: 5_000 }, (_, index) => index + 1));
    const [error, ...others] = errors;
    expect(others).toEqual([]);
    expect(error?.stack).not.toContain("\n    at ");
    expect(Error.stackTraceLimit).toBe(before);
  });

  it("G1 different mistakes keep their own messages, and messages between them pass", () => {
    const decoder = rpcCodec.createDecoder();
    const items = decoder.push(Buffer.from(`x\n{"id":1}\n"\\ud800"\n{"id":`));
    expect(items.map((item) => (item.kind === "message" ? item.value : item.error.code))).toEqual([
      "invalid_json",
      { id: 1 },
      "invalid_utf8",
    ]);
    expect(decoder.isMidMessage).toBe(true);
    expect(decoder.end().map(({ kind }) => kind)).toEqual(["refused"]);
  });
});

describe("answers that grow when they are written", () => {
  it("G2 G3 a long id and a long body of line separators, which leave as escapes, still fit into one line", () => {
    const id = JSON.stringify("\u2028".repeat(690_000));
    const outcome = succeeded("\u2029".repeat(1_390_000));
    const line = ndjson.encode(new JsonText(toCallText(id, outcome, { queueWaitMs: 0, queueDepth: 0 })));
    expect(line.length).toBeLessThanOrEqual(wireLimits.maxMessageBytes + 1);
    const answer = JSON.parse(line.toString()) as { id: string; data: { response: { truncated?: boolean; body: string } } };
    expect(answer.id.length).toBe(690_000);
    expect(answer.data.response.truncated).toBe(true);
  });
});
