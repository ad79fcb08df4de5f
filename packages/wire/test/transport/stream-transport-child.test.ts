// A transport on the pipes of a child that ends, goes deaf or leaves somebody else on its output:
// its last words are read, and nobody waits for ever.

import type { Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { ndjson } from "../../src/codec/ndjson.ts";
import { createStreamTransport } from "../../src/transport/stream-transport.ts";
import type { Transport } from "../../src/transport/transport.ts";
import { exitOf, startNode, type PipedChild } from "../../../../test/kit/node-programs.ts";
import { until } from "../../../../test/kit/until.ts";
import { wait } from "../pipes.ts";

function start(script: string, closeFlushMs = 5_000): { child: PipedChild; transport: Transport } {
  const child = startNode(["-e", script]);
  const transport = createStreamTransport({ readable: child.stdout, writable: child.stdin, codec: ndjson, tap: undefined, closeFlushMs });
  onTestFinished(() => transport.close());
  return { child, transport };
}

// More than is read at once: the child ends while some are unread. The pipe takes the last of them.
const manyLines = `
  let lines = "";
  for (let n = 0; n < 3000; n++) lines += JSON.stringify({ n, text: "x".repeat(100) }) + "\\n";
  process.stdout.write(lines, () => process.exit(0));
`;

it.each([
  ["in its own time", 5_000, 20],
  ["much more slowly than a silent child is waited for", 50, 120],
])("reads the last words of a child that has already ended, %s", async (_, closeFlushMs, pauseMs) => {
  const { child, transport } = start(manyLines, closeFlushMs);
  let count = 0;
  let readAfterExit = 0;
  for await (const item of transport.incoming) {
    expect(item.position).toBe(++count);
    if (child.exitCode !== null) readAfterExit++;
    if (count % 300 === 0) await wait(pauseMs);
    if (count === 2_100) await until(() => child.exitCode !== null);
  }
  expect(count).toBe(3_000);
  expect(readAfterExit).toBeGreaterThanOrEqual(900);
  expect(await transport.closed).toBeUndefined();
});

it("reads the explanation of a child that died while we were still writing to it", async () => {
  const { transport } = start(`
    process.stdin.destroy();
    process.stdout.write('{"type":"error","error":"bad configuration"}\\n', () => process.exit(2));
  `);
  const texts: string[] = [];
  const reading = (async () => {
    for await (const item of transport.incoming) texts.push(item.kind === "message" ? item.text : item.head);
  })();
  const large = "x".repeat(200_000);
  for (let sent = 0, isOpen = true; sent < 200 && isOpen; sent++) {
    isOpen = await transport.send(large).then(
      () => true,
      () => false,
    );
  }
  await reading;
  expect(texts).toEqual(['{"type":"error","error":"bad configuration"}']);
  expect(await transport.closed).toMatchObject({ code: "connection_lost", message: expect.stringContaining("EPIPE") });
  await expect(transport.send(1)).rejects.toMatchObject({ code: "connection_lost" });
});

it("a child that takes no input and says nothing is given up after the flush time", async () => {
  const { child, transport } = start("require('node:fs').closeSync(0); setInterval(() => {}, 1000); console.log('1');", 200);
  const iterator = transport.incoming[Symbol.asyncIterator]();
  await iterator.next();
  const outcome = await transport.send("x".repeat(500_000)).catch((error: unknown) => error);
  expect(outcome).toMatchObject({ code: "connection_lost" });
  expect(await transport.closed).toMatchObject({ code: "connection_lost" });
  expect(await iterator.next()).toMatchObject({ done: true });
  expect(child.exitCode).toBeNull();
});

it("a grandchild that holds the pipe of a dead child open keeps nobody waiting", async () => {
  const { child, transport } = start(
    `const grandchild = require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: ['ignore', 'inherit', 'ignore'], detached: true });
     process.stdout.write(grandchild.pid + '\\n', () => process.exit(0));`,
    200,
  );
  const iterator = transport.incoming[Symbol.asyncIterator]();
  const { value } = (await iterator.next()) as { value: { text: string } };
  onTestFinished(() => void process.kill(Number(value.text), "SIGKILL"));
  await exitOf(child);
  expect(await iterator.next()).toMatchObject({ done: true });
  expect(await transport.closed).toMatchObject({ code: "connection_lost" });
});

it("a child that is killed in the middle of a line leaves one refusal, and the sender an error", async () => {
  const { child, transport } = start("process.stdout.write('{\"id\":1,'); setInterval(() => {}, 1000);");
  await until(() => (child.stdout as Socket).bytesRead > 0);
  child.kill("SIGKILL");
  const items: string[] = [];
  for await (const item of transport.incoming) items.push(item.kind);
  expect(items).toEqual(["refused"]);
  await transport.closed;
  await expect(transport.send(1)).rejects.toMatchObject({ code: expect.stringMatching(/^(closed|connection_lost)$/) });
});
