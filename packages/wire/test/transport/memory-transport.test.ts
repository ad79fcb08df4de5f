// Two ends without a process between them behave as the two ends of a pipe do.

import { expect, it } from "vitest";
import { JsonText } from "../../src/codec/json-text.ts";
import { HawserError } from "@hawser/protocol";
import { createMemoryPair } from "../../src/transport/memory-transport.ts";
import type { Received } from "../../src/transport/transport.ts";

it("delivers what a pipe would: JSON text, parsed anew, in order and numbered", async () => {
  const [left, right] = createMemoryPair();
  const sent = { a: "é", gone: undefined, date: new Date(0) };
  await left.send(sent);
  await left.send(new JsonText('{"id":1.0}'));
  await left.close();
  const items: Received[] = [];
  for await (const item of right.incoming) items.push(item as Received);
  expect(items).toEqual([
    {
      kind: "message",
      value: { a: "é", date: "1970-01-01T00:00:00.000Z" },
      text: '{"a":"é","date":"1970-01-01T00:00:00.000Z"}',
      position: 1,
    },
    { kind: "message", value: { id: 1 }, text: '{"id":1.0}', position: 2 },
  ]);
});

it("R9 G14 refuses at the sender what a pipe would refuse, and lives", async () => {
  const [left, right] = createMemoryPair();
  await expect(left.send("x".repeat(10_485_759))).rejects.toMatchObject({ code: "too_large", facts: { bytes: 10_485_761 } });
  await expect(left.send("é".repeat(5_242_880))).rejects.toMatchObject({ code: "too_large", facts: { bytes: 10_485_762 } });
  await expect(left.send(new JsonText(`${"[".repeat(128)}${"]".repeat(128)}`))).rejects.toMatchObject({ code: "too_deep" });
  await expect(left.send(undefined)).rejects.toMatchObject({ code: "not_serializable" });
  await left.send("x".repeat(10_485_758));
  const { value } = (await right.incoming[Symbol.asyncIterator]().next()) as { value: Received };
  expect(value).toMatchObject({ kind: "message", position: 1 });
});

it("send waits while the other end has more unread than the limit", async () => {
  const [left, right] = createMemoryPair();
  for (let sent = 0; sent < 256; sent++) await left.send(sent);
  let isAccepted = false;
  const waiting = left.send(256).then(() => (isAccepted = true));
  await new Promise(setImmediate);
  expect(isAccepted).toBe(false);
  const iterator = right.incoming[Symbol.asyncIterator]();
  for (let read = 0; read <= 256; read++) await iterator.next();
  await waiting;
  expect(isAccepted).toBe(true);
});

it("close ends both sides once, keeps the first reason and releases a waiting sender", async () => {
  const [left, right] = createMemoryPair();
  const sending = Promise.all(Array.from({ length: 300 }, (_, n) => left.send(n)));
  const first = new HawserError("timeout", "first");
  await right.close(first);
  await right.close(new HawserError("internal", "second"));
  await left.close();
  expect(await right.closed).toBe(first);
  expect(await left.closed).toMatchObject({ code: "connection_lost", cause: first });
  await sending;
  await expect(left.send(1)).rejects.toMatchObject({ code: "closed" });
  await expect(right.send(1)).rejects.toMatchObject({ code: "closed" });
  let received = 0;
  for await (const item of right.incoming) received += item.position > 0 ? 1 : 0;
  expect(received).toBe(300);
});

it("an orderly close has no reason on either side", async () => {
  const [left, right] = createMemoryPair();
  await left.close();
  expect([await left.closed, await right.closed]).toEqual([undefined, undefined]);
});
