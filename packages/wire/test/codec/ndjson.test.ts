// The line framing: where lines end and where not, what may stand around a message, and lines
// that are too long or never end.

import { describe, expect, it } from "vitest";
import { JsonText } from "../../src/codec/json-text.ts";
import { ndjson } from "../../src/codec/ndjson.ts";
import { asReceived, asRefused, cut, decodeAll, oneByteEach, outcomes, valuesOf } from "../framing.ts";

const decode = (text: string): ReturnType<typeof decodeAll> => decodeAll(ndjson, [Buffer.from(text)]);

describe("lines", () => {
  it("R127 R145 one message is one line with one line feed at its end", () => {
    expect(ndjson.encode({ a: "x\ny" }).toString()).toBe('{"a":"x\\ny"}\n');
  });

  it("R127 G5 text that is sent as it is loses its line feeds, and they are only between tokens", () => {
    const bytes = ndjson.encode(new JsonText('{"id":[1,\n2\r\n],"a":"b"}'));
    expect(bytes.indexOf("\n")).toBe(bytes.length - 1);
    expect(valuesOf(decodeAll(ndjson, [bytes]))).toEqual([{ id: [1, 2], a: "b" }]);
  });

  it("H38 does not end a line at U+2028, U+2029, U+0085 or a lone CR", () => {
    const text = '{"a":"1\u20282\u20293\u00854"}';
    for (const chunks of [[Buffer.from(`${text}\n`)], oneByteEach(Buffer.from(`${text}\n`))]) {
      expect(valuesOf(decodeAll(ndjson, chunks))).toEqual([{ a: "1\u20282\u20293\u00854" }]);
    }
    expect(valuesOf(decode('{"a":\r1}\n'))).toEqual([{ a: 1 }]);
  });

  it("H38 escapes U+2028 and U+2029 when writing", () => {
    expect(ndjson.encode("\u2028\u2029").toString()).toBe('"\\u2028\\u2029"\n');
  });

  it("R81 takes CRLF as the end of a line, cut anywhere", () => {
    const bytes = Buffer.from('{"a":1}\r\n[2]\r\n');
    for (let at = 0; at <= bytes.length; at++) {
      expect(valuesOf(decodeAll(ndjson, [bytes.subarray(0, at), bytes.subarray(at)])), `cut at ${at}`).toEqual([{ a: 1 }, [2]]);
    }
  });

  it("WIR-16 R81 skips empty and blank lines, and counts them", () => {
    const items = decode('\n \r\n\t\n\r\n{"a":1}\n\n\n[2]\n');
    expect(valuesOf(items)).toEqual([{ a: 1 }, [2]]);
    expect(items.map(({ position }) => position)).toEqual([5, 8]);
  });

  it("WIR-16 skips a megabyte of spaces, cut or whole", () => {
    const bytes = Buffer.from(`${" ".repeat(1_048_576)}\n1\n`);
    for (const chunks of [[bytes], cut(bytes, Array<number>(1_100).fill(1_000))]) {
      expect(valuesOf(decodeAll(ndjson, chunks))).toEqual([1]);
    }
  });
});

describe("byte order mark", () => {
  const marked = Buffer.concat([Buffer.from("efbbbf", "hex"), Buffer.from('{"a":"é"}\n2\n')]);

  it("one at the start is tolerated, in every split and byte by byte", () => {
    for (let at = 0; at <= marked.length; at++) {
      const chunks = [marked.subarray(0, at), marked.subarray(at)];
      expect(valuesOf(decodeAll(ndjson, chunks)), `cut at ${at}`).toEqual([{ a: "é" }, 2]);
    }
    expect(valuesOf(decodeAll(ndjson, oneByteEach(marked)))).toEqual([{ a: "é" }, 2]);
  });

  it("a second one, or one later, is not JSON", () => {
    expect(outcomes(decode("\ufeff\ufeff1\n2\n\ufeff3\n4\n"))).toEqual(["invalid_json", "message", "invalid_json", "message"]);
  });

  it("half of one is refused as invalid UTF-8, also when the stream ends there", () => {
    expect(outcomes(decodeAll(ndjson, [Buffer.from("efbb310a320a", "hex")]))).toEqual(["invalid_utf8", "message"]);
    expect(outcomes(decodeAll(ndjson, [Buffer.from("ef", "hex"), Buffer.from("bb", "hex")]))).toEqual(["invalid_utf8"]);
    expect(decodeAll(ndjson, [Buffer.from("efbbbf", "hex")])).toEqual([]);
  });
});

describe("lines that are too long", () => {
  const limit = { maxMessageBytes: 100 };
  const longest = `"${"x".repeat(98)}"`;

  it("R9 the CR of a line end does not count, whatever the cut", () => {
    const bytes = Buffer.from(`${longest}\r\n${longest}\n`);
    for (const chunks of [[bytes], oneByteEach(bytes), cut(bytes, [101, 1]), cut(bytes, [100, 2])]) {
      expect(outcomes(decodeAll(ndjson, chunks, limit))).toEqual(["message", "message"]);
    }
  });

  it("WIR-02 one byte too many is refused once, whatever the cut, and the next line is read", () => {
    const bytes = Buffer.from(`${longest} \n${longest} \r\n${longest}  \n1\n`);
    for (let at = 0; at <= bytes.length; at++) {
      const items = decodeAll(ndjson, [bytes.subarray(0, at), bytes.subarray(at)], limit);
      expect(outcomes(items), `cut at ${at}`).toEqual(["too_large", "too_large", "too_large", "message"]);
      expect(items.map(({ position }) => position)).toEqual([1, 2, 3, 4]);
    }
    expect(outcomes(decodeAll(ndjson, oneByteEach(bytes), limit))).toEqual(["too_large", "too_large", "too_large", "message"]);
  });

  it("a line that never ends is refused as soon as it is too long, and its bytes are not kept", () => {
    const decoder = ndjson.createDecoder();
    const before = process.memoryUsage().arrayBuffers;
    const chunk = Buffer.alloc(65_536, "x");
    const items = Array.from({ length: 1_600 }).flatMap(() => decoder.push(chunk));
    expect(outcomes(items)).toEqual(["too_large"]);
    expect(decoder.isMidMessage).toBe(true);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16_777_216);
    expect(valuesOf(decoder.push(Buffer.from("x\n[1]\n")))).toEqual([[1]]);
    expect(decoder.isMidMessage).toBe(false);
  });

  it("keeps its first bytes, also when they came in small pieces", () => {
    const [item] = decodeAll(ndjson, oneByteEach(Buffer.from(`{"id":5,${"x".repeat(200)}`)), limit);
    expect(asRefused(item).head.startsWith('{"id":5,x')).toBe(true);
  });
});

describe("the end of the stream", () => {
  it("WIR-19 a last line without a line feed is read; a cut-off one is refused", () => {
    expect(valuesOf(decode("1\n2"))).toEqual([1, 2]);
    expect(valuesOf(decode("1\n2\r"))).toEqual([1, 2]);
    expect(outcomes(decode('1\n{"id":"a","b'))).toEqual(["message", "invalid_json"]);
  });

  it("inside a line that was refused for its size is not refused again", () => {
    expect(outcomes(decodeAll(ndjson, [Buffer.alloc(200, "x")], { maxMessageBytes: 100 }))).toEqual(["too_large"]);
  });

  it("after blank characters is no message", () => {
    expect(decode("  \t")).toEqual([]);
  });
});

it("the text of a message is its source, to the letter", () => {
  const [item] = decode('{"id": 1.0, "a":\t"\\u00e9"}\n');
  expect(asReceived(item).text).toBe('{"id": 1.0, "a":\t"\\u00e9"}');
});
