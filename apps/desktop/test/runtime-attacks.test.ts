// A runtime that has gone wrong behind a real page: it floods, writes what is no line, or never answers. The
// app's memory stays bounded, and the page can still be used.

import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { memoryOf, treeOf } from "./process-tree.ts";
import { openDesktop, type DesktopStage } from "./stage.ts";
import { greeting } from "./surroundings.ts";

const megabytes = (stage: DesktopStage): number =>
  treeOf(stage.app().pid)
    .filter(({ command }) => !command.includes("hawser.cjs"))
    .reduce((sum, { pid }) => sum + memoryOf(pid).share, 0) / 1_000;

it("10,000 lines a second to a page that is busy wait in the pipe, and in no memory", async () => {
  // Each line about a kilobyte: what is not held back would be ten megabytes a second.
  const flood = greeting(`
    const { once } = require("node:events");
    process.stdin.on("end", () => process.exit()).resume();
    const line = JSON.stringify({ type: "status", text: "x".repeat(1000) }) + "\\n";
    let count = 0;
    for (;;) {
      const started = Date.now();
      for (let i = 0; i < 1000; i++) if (!process.stdout.write(line)) await once(process.stdout, "drain");
      process.stderr.write("written " + (count += 1000) + "\\n");
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, 100 - (Date.now() - started))));
    }`);
  await using stage = await openDesktop({ runtime: flood });
  const written = (): number => Number([...stage.log().matchAll(/written (\d+)/g)].at(-1)?.[1] ?? 0);
  await expect.poll(written, { timeout: 30_000 }).toBeGreaterThan(2_000);
  const before = megabytes(stage);
  // The page does nothing for a while but turn in a circle.
  await stage.driver.evaluate("setTimeout(() => { const end = Date.now() + 8000; while (Date.now() < end); }, 0)");
  await sleep(500);
  const atStart = written();
  await sleep(5_000);
  expect(written() - atStart).toBeLessThan(3_000);
  expect(megabytes(stage) - before).toBeLessThan(60);
  // And afterwards it goes on.
  await expect.poll(written, { timeout: 60_000 }).toBeGreaterThan(atStart + 5_000);
  expect(await stage.driver.evaluate("return document.title")).toBe("Hawser");
});

it("lines that are too long, no text, no JSON or only half there cost only themselves", async () => {
  const odd = greeting(`
    const { setTimeout: sleep } = require("node:timers/promises");
    process.stdin.on("end", () => process.exit()).resume();
    const write = (bytes) => new Promise((resolve) => process.stdout.write(bytes, resolve));
    const note = (n) => write(JSON.stringify({ type: "odd", n }) + "\\n");
    await sleep(3000);
    await write("x".repeat(11_000_000) + "\\n"); await note(1);
    await write(Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a])); await note(2);
    await write("half"); await sleep(100); await write(" a line\\n"); await note(3);
    await write('{"type":"od'); await sleep(100); await write('d","n":4}\\n');
    await write("[".repeat(200_000) + "]".repeat(200_000) + "\\n"); await note(5);
    await write('{"type":"odd","n":6,"__proto__":{"polluted":true}}\\n');
    await write('"\\u2028\\ud800"\\n');
    await write(JSON.stringify({ type: "odd", n: 7, text: "y".repeat(10_000_000) }) + "\\n");
    await note(8);
    setInterval(() => {}, 1000);`);
  await using stage = await openDesktop({ runtime: odd, settings: { aliasEvent: true } });
  await stage.driver.evaluateAsync(`
    globalThis.odd = [];
    globalThis.again = [];
    const { invoke, transformCallback } = window.__TAURI_INTERNALS__;
    const collect = (event, list) => invoke("plugin:event|listen", { event, target: { kind: "Any" }, handler: transformCallback(({ payload }) => {
      // R140: a response is an object, whatever its members are called.
      if (payload?.type === "odd") list.push(payload.n);
    }) });
    await collect("agent_stream", odd);
    await collect("agent_response", again);`);
  await expect.poll(() => stage.driver.evaluate("return odd.join()"), { timeout: 60_000 }).toBe("1,2,3,4,5,6,7,8");
  // H41: under the older name too, where the settings say so.
  await expect.poll(() => stage.driver.evaluate("return again.join()"), { timeout: 20_000 }).toBe("1,2,3,4,5,6,7,8");
  expect(await stage.driver.evaluate("return ({}).polluted === undefined")).toBe(true);
  for (const reason of ["longer than 10485760 bytes", "not valid UTF-8", "not valid JSON"]) expect(stage.log()).toContain(reason);
});
