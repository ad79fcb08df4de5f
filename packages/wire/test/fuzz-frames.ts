// Frames for the fuzzer: requests and replies that are valid, nearly valid, or garbage. They are
// made from structure first and damaged afterwards, so that the damage gets past the first check.

import type { Codec } from "../src/codec/codec.ts";
import { ndjson } from "../src/codec/ndjson.ts";
import { lengthHeader, rawFrame } from "./framing.ts";
import type { Random } from "./random.ts";

const oddTexts = [
  "",
  " ",
  "\\",
  '"',
  "\u0000",
  "\u2028",
  "💥",
  "\ufeff",
  "__proto__",
  "constructor",
  "é".repeat(40),
  "[".repeat(300),
  "x".repeat(3_000),
];
const oddSources = [
  '"\\ud800"',
  "1e400",
  "-0",
  "1.0",
  "9007199254740993",
  "01",
  "+1",
  ".5",
  "nul",
  "{,}",
  "[1,]",
  '{"a":1,"a":2}',
  "'a'",
  '"\\x"',
  '"\t"',
];
// None of these becomes a long sleep, however it is damaged: the server would wait for it, as it must.
const oddSleeps = oddSources.filter((source) => !/\d\d\d|e\d/.test(source));

export function randomValue(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 4 ? 5 : 7);
  if (kind === 0) return random.pick(oddTexts);
  if (kind === 1) return random.between(-1_000, 1_000) / random.pick([1, 3, 1e-10]);
  if (kind === 2) return random.pick([true, false, null]);
  if (kind <= 4) return `text ${random.below(1_000)}`;
  const items = Array.from({ length: random.below(4) }, () => randomValue(random, depth + 1));
  return kind === 5 ? items : Object.fromEntries(items.map((item) => [random.pick([...oddTexts, "id", "kind"]), item]));
}

/** A request of the echo protocol that is valid, or has one field that is not. */
export function requestText(random: Random): string {
  const id = JSON.stringify(random.chance(0.9) ? `r${random.below(50)}` : random.pick(oddTexts));
  const odd = (source: string): string =>
    random.chance(0.1) ? random.pick([...oddSources, nest(random), JSON.stringify(randomValue(random))]) : source;
  const bodies = [
    `"kind":"echo","value":${odd(JSON.stringify(randomValue(random)))}`,
    `"kind":"sleep","ms":${random.chance(0.1) ? random.pick(oddSleeps) : "0"}`,
    `"kind":"cancel","target":${odd(`"r${random.below(50)}"`)}`,
    `"kind":"status"`,
    `"kind":${odd('"zzz"')}`,
    `"kind":"stream","count":${random.below(4)},"bytes":${random.below(20)}`,
  ];
  return random.chance(0.9) ? `{"id":${odd(id)},${random.pick(bodies)}}` : `{${random.pick(bodies)},"id":${odd(id)}}`;
}

/** A reply of the echo protocol to one of `ids`, or to nobody. */
export function replyText(random: Random, ids: readonly string[]): string {
  const id = JSON.stringify(random.chance(0.8) && ids.length > 0 ? random.pick(ids) : random.pick(oddTexts));
  const odd = (source: string): string => (random.chance(0.1) ? random.pick([...oddSources, nest(random)]) : source);
  const bodies = [
    `"type":"echoed","value":${odd(JSON.stringify(randomValue(random)))}`,
    `"type":"piece","index":${odd("0")},"text":${odd('"x"')}`,
    `"type":"done"`,
    `"type":"error","code":"internal","error":${odd('"no"')}`,
    `"type":${odd('"zzz"')}`,
  ];
  return `{"id":${odd(id)},${random.pick(bodies)}}`;
}

function nest(random: Random): string {
  const depth = random.between(120, 135);
  return `${"[".repeat(depth)}${random.chance(0.8) ? "]".repeat(depth) : ""}`;
}

/** The frame of a payload, damaged now and then: its bytes, or what announces them. */
export function damagedFrame(random: Random, codec: Codec, text: string): Buffer {
  if (random.chance(0.02)) return rawFrame(codec, Buffer.alloc(random.between(4_000, 9_000), random.pick(["x", " ", "[", '"'])));
  const payload = random.chance(0.4) ? damage(random, Buffer.from(text)) : Buffer.from(text);
  if (codec === ndjson || random.chance(0.998)) return rawFrame(codec, payload);
  const length = random.pick([payload.length + random.between(-3, 3), 0xffffffff, random.below(2 ** 32), 5_000, 70_000]);
  return Buffer.concat([lengthHeader(Math.max(0, length)), payload]);
}

function damage(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length);
  const until = Math.min(bytes.length, at + random.between(1, 12));
  const before = bytes.subarray(0, at);
  switch (random.below(6)) {
    case 0:
      return Buffer.concat([before, bytes.subarray(until)]);
    case 1:
      return Buffer.concat([before, Buffer.from([random.below(256)]), bytes.subarray(at)]);
    case 2:
      return Buffer.concat([before, Buffer.from([(bytes[at] ?? 0) ^ (1 << random.below(8))]), bytes.subarray(at + 1)]);
    case 3:
      return Buffer.concat([before, bytes.subarray(at, until), bytes.subarray(at)]);
    case 4:
      return before;
    default:
      return Buffer.from(Array.from({ length: random.below(40) }, () => random.below(256)));
  }
}
