// The length-prefixed framing: its golden bytes, headers that lie, and streams that end too early.

import { describe, expect, it } from "vitest";
import { LENGTH_PREFIX_SIZE, lengthPrefix } from "../../src/codec/length-prefix.ts";
import { wireLimits } from "../../src/limits.ts";
import { asReceived, asRefused, cut, decodeAll, lengthHeader, oneByteEach, outcomes, rawFrame, valuesOf } from "../framing.ts";

describe("golden bytes", () => {
  it("R2 writes a 4-byte big-endian length and the UTF-8 JSON", () => {
    expect(lengthPrefix.encode({ a: 1 }).toString("hex")).toBe("000000077b2261223a317d");
    expect(valuesOf(decodeAll(lengthPrefix, [Buffer.from("000000077b2261223a317d", "hex")]))).toEqual([{ a: 1 }]);
  });

  it("R3 counts bytes, not characters", () => {
    expect(lengthPrefix.encode({ a: "é" }).toString("hex")).toBe("0000000a7b2261223a22c3a9227d");
  });

  it("R2 reads a frame as Python's json.dumps writes it, with spaces and escapes", () => {
    const python = '{"method": "call_tool", "params": {"name": "t", "arguments": {"s": "\\u00e9\\ud83d\\udca5"}}}';
    const [item] = decodeAll(lengthPrefix, [rawFrame(lengthPrefix, python)]);
    expect(asReceived(item)).toMatchObject({
      value: { method: "call_tool", params: { name: "t", arguments: { s: "é💥" } } },
      text: python,
    });
  });

  it("R4 the prefix has 4 bytes", () => {
    expect(LENGTH_PREFIX_SIZE).toBe(4);
  });

  it("R13 takes payloads with line feeds", () => {
    expect(valuesOf(decodeAll(lengthPrefix, [rawFrame(lengthPrefix, '{\n"a":\r\n1}\n')]))).toEqual([{ a: 1 }]);
  });
});

describe("headers", () => {
  it.each(["ffffffff", "80000000", "7fffffff", "04000001"])(
    "WIR-04 R10 header %s is refused as fatal at once, nothing after it is read, nothing is allocated",
    (header) => {
      for (const chunks of [[Buffer.from(header, "hex")], oneByteEach(Buffer.from(header, "hex"))]) {
        const decoder = lengthPrefix.createDecoder();
        const before = process.memoryUsage();
        const items = chunks.flatMap((chunk) => decoder.push(chunk));
        expect(outcomes(items)).toEqual(["too_large"]);
        expect(asRefused(items[0])).toMatchObject({ fatal: true, position: 1, head: "" });
        expect(decoder.push(rawFrame(lengthPrefix, "{}"))).toEqual([]);
        expect(decoder.isMidMessage).toBe(false);
        expect(decoder.end()).toEqual([]);
        const after = process.memoryUsage();
        expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(1_048_576);
        // Of the whole test process, in which other things go on.
        expect(after.rss - before.rss).toBeLessThan(50_331_648);
      }
    },
  );

  it("a length of exactly 64 MiB is still skipped, and the stream lives", () => {
    expect(wireLimits.maxDiscardBytes).toBe(67_108_864);
    const decoder = lengthPrefix.createDecoder();
    expect(outcomes(decoder.push(lengthHeader(67_108_864)))).toEqual(["too_large"]);
    const filler = Buffer.alloc(1_048_576, "{");
    for (let sent = 0; sent < 64; sent++) {
      expect(decoder.isMidMessage).toBe(true);
      expect(decoder.push(filler)).toEqual([]);
    }
    expect(decoder.isMidMessage).toBe(false);
    const [item] = decoder.push(rawFrame(lengthPrefix, '{"alive":true}'));
    expect(asReceived(item)).toMatchObject({ value: { alive: true }, position: 2 });
  });

  it("a frame that is too large is refused at its header, before any of its bytes is there", () => {
    const [item] = lengthPrefix.createDecoder().push(lengthHeader(10_485_761));
    expect(asRefused(item).error).toMatchObject({ code: "too_large", facts: { bytes: 10_485_761, maxBytes: 10_485_760 } });
  });

  it("WIR-05 R10 headers of 10 MiB that nothing follows cost no memory", () => {
    const before = process.memoryUsage().arrayBuffers;
    const decoders = Array.from({ length: 200 }, () => lengthPrefix.createDecoder());
    for (const decoder of decoders) expect(decoder.push(lengthHeader(10_485_760))).toEqual([]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_048_576);
    expect(decoders.every((decoder) => decoder.isMidMessage)).toBe(true);
  });

  it("WIR-07 R32 length 0 is refused, in any cut, and the next frame is read", () => {
    const bytes = Buffer.concat([lengthHeader(0), lengthHeader(0), rawFrame(lengthPrefix, "1")]);
    for (const chunks of [[bytes], oneByteEach(bytes)]) {
      expect(outcomes(decodeAll(lengthPrefix, chunks))).toEqual(["invalid_json", "invalid_json", "message"]);
    }
  });

  it("does not take a byte order mark for JSON", () => {
    expect(outcomes(decodeAll(lengthPrefix, [rawFrame(lengthPrefix, "\ufeff{}")]))).toEqual(["invalid_json"]);
  });
});

describe("the end of the stream", () => {
  const whole = lengthPrefix.encode({ a: "é" });

  it("WIR-19 inside a header or a body is one fatal refusal", () => {
    for (let at = 1; at < whole.length; at++) {
      const items = decodeAll(lengthPrefix, [whole, whole.subarray(0, at)]);
      expect(outcomes(items), `cut at ${at}`).toEqual(["message", "connection_lost"]);
      expect(asRefused(items[1])).toMatchObject({ fatal: true, position: 2 });
    }
  });

  it("keeps the head of a cut-off body, so that its id can be read", () => {
    const bytes = rawFrame(lengthPrefix, '{"id":7,"text":"cut off"}');
    expect(asRefused(decodeAll(lengthPrefix, [bytes.subarray(0, -5)])[0]).head).toBe('{"id":7,"text":"cut ');
  });

  it("between two frames is no refusal", () => {
    expect(outcomes(decodeAll(lengthPrefix, [whole, whole]))).toEqual(["message", "message"]);
  });

  it("inside a frame that was refused for its size is not refused again", () => {
    expect(outcomes(decodeAll(lengthPrefix, [lengthHeader(10_485_761), Buffer.alloc(1_000)]))).toEqual(["too_large"]);
  });
});

it("a refused frame keeps its first 4,096 bytes and no more", () => {
  expect(wireLimits.refusedHeadBytes).toBe(4_096);
  const [item] = decodeAll(lengthPrefix, cut(rawFrame(lengthPrefix, `{"id":"1",${"é".repeat(50_000)}`), [7, 9, 30_000]));
  const { head } = asRefused(item);
  expect(head.startsWith('{"id":"1",é')).toBe(true);
  expect(Buffer.byteLength(head)).toBe(4_096);
});
