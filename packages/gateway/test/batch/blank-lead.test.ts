// Blanks before the first item of a batch: they are looked at once.

import { describe, expect, it } from "vitest";
import { readBatch } from "../../src/batch/batch-source.ts";

async function* chunksOf(parts: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part);
}

async function readAll(parts: readonly (string | Buffer)[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const { value } of readBatch(chunksOf(parts))) values.push(value);
  return values;
}

/** Processor time, since a clock tells about the other programs of a busy machine too; the shortest of some turns. */
async function timeOf(chunks: number): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    const before = process.cpuUsage();
    await readAll([...Array<Buffer>(chunks).fill(Buffer.alloc(16_384, " ")), '{"path":"/"}']);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  return Math.min(...times);
}

describe("blanks before the first item", () => {
  it("WIR-16 eight times as many take about eight times as long", async () => {
    const few = await timeOf(75);
    expect(await timeOf(600)).toBeLessThan(Math.max(few, 5) * 30);
  });

  it.each([
    ["a byte order mark in three chunks", ["\xef", "\xbb", "\xbf", '[{"a":1}]']],
    ["a byte order mark, then blanks", ["\xef\xbb\xbf", " \n\t", '[{"a":1}]']],
    ["blanks in chunks of their own", [" ", "\r\n", '{"a":1}\n']],
  ])("WIR-16 the first byte behind them says what the batch is: %s", async (_what, parts) => {
    expect(await readAll(parts.map((part) => Buffer.from(part, "latin1")))).toEqual([{ a: 1 }]);
  });
});
