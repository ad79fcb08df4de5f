// Requests by hand, as no browser would make them: paths in every code, requests inside others, bodies that never
// come, heads that never end. Nothing is answered that should not be, and the server stays.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shellLimits } from "../../src/limits.ts";
import { wireLimits } from "@hawser/wire";
import { openRaw, ownHeaders, statusOf, type Door } from "./raw-socket.ts";
import { openServer, openStage, type Stage } from "./stage.ts";

let stage: Stage;
let door: Door;
beforeAll(async () => {
  stage = await openStage();
  door = { port: stage.shell.port, credential: stage.credential };
});
afterAll(() => stage[Symbol.asyncDispose]());

const isServed = async () => expect((await stage.fetch("/")).status).toBe(200);

describe("WEB-03 a path", () => {
  it("leads to the page's files only, in whatever code it is written", async () => {
    const paths = [
      "/../secret.txt",
      "/assets/../../secret.txt",
      "/%2e%2e/%2e%2e/etc/passwd",
      "/..%2f..%2fetc/passwd",
      "/%252e%252e/secret.txt",
      "/..%c0%afsecret.txt",
      "/..\\secret.txt",
      "/%5c..%5csecret.txt",
      "/assets/main.js%00.png",
      "/assets/main.js/",
      "/./assets//main.js",
      "/ASSETS/MAIN.JS",
      "/index.html",
      "/files/",
      "/files/../../secret.txt",
      "/files/__proto__",
      "/constructor",
      "/.env",
      "/proc/self/environ",
    ];
    for (const path of paths) {
      using raw = await openRaw(door.port, `GET ${path} HTTP/1.1\r\n${ownHeaders(door)}Connection: close\r\n\r\n`);
      const line = await raw.closed;
      expect(line, path).toMatch(/ (?:400|404) /);
      expect(raw.received()).not.toMatch(/not to be served|root:/);
    }
  });
});

describe("WEB-03 a request that could be two", () => {
  it("is refused, and what is hidden in it is not done", async () => {
    const hidden = `POST /files HTTP/1.1\r\n${ownHeaders(door)}x-file-name: hidden\r\nContent-Length: 1\r\n\r\nx`;
    const smuggled = [
      `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
      `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${hidden}`,
      `Content-Length: 0\r\nContent-Length: 5\r\n\r\n${hidden}`,
      `Content-Length: +0\r\n\r\n${hidden}`,
      `Transfer-Encoding:\tchunked, x\r\n\r\n0\r\n\r\n${hidden}`,
      `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`,
      `X: y\nContent-Length: 0\r\n\r\n${hidden}`,
      `Transfer-Encoding: chunked\r\n\r\nzz\r\n${hidden}`,
    ];
    for (const rest of smuggled) {
      using raw = await openRaw(door.port, `POST /files HTTP/1.1\r\n${ownHeaders(door)}x-file-name: outer\r\n${rest}`);
      expect(await raw.closed, rest.slice(0, 60)).toContain(" 400 ");
      expect(raw.received()).not.toContain(" 201 ");
    }
    await expect.poll(() => readdirSync(stage.filesFolder)).toEqual([]);
  });
});

describe("a file", () => {
  const post = (headers: string, body = "") => statusOf(door.port, `POST /files HTTP/1.1\r\n${ownHeaders(door)}${headers}\r\n${body}`);

  it("needs a name, and can't choose its place by it", async () => {
    expect(await post("Content-Length: 1\r\n", "x")).toBe(400);
    const names = [
      "../../evil",
      "..%2f..%2fevil",
      "/etc/passwd",
      "C:%5cWindows%5cx",
      "..",
      ".",
      "%00",
      "a%0ab",
      "%ff",
      "x".repeat(5_000),
      "%e2%80%ae",
    ];
    for (const name of names) {
      const answer = await stage.fetch("/files", {
        method: "POST",
        headers: { ...stage.own, "x-file-name": name },
        body: "x",
      });
      expect(answer.status, name).toBe(201);
      const { path } = JSON.parse(answer.body) as { path: string };
      expect(path.startsWith(`${stage.filesFolder}/`), path).toBe(true);
      expect(path.slice(stage.filesFolder.length + 1).split("/")).toHaveLength(2);
      expect(existsSync(path)).toBe(true);
    }
  });

  it("that breaks off leaves nothing, and its room is free again", async () => {
    const before = readdirSync(stage.filesFolder);
    // Together far more than may be held.
    for (let round = 0; round < 80; round++) {
      using raw = await openRaw(door.port, `POST /files HTTP/1.1\r\n${ownHeaders(door)}x-file-name: a\r\nContent-Length: 10485760\r\n\r\n`);
      await new Promise((written) => raw.socket.write(Buffer.alloc(9_000_000), written));
      raw.socket.destroy();
    }
    const whole = { method: "POST", headers: { ...stage.own, "x-file-name": "b" } };
    expect((await stage.fetch("/files", { ...whole, body: Buffer.alloc(shellLimits.shellFileBytes) })).status).toBe(201);
    await expect.poll(() => readdirSync(stage.filesFolder)).toHaveLength(before.length + 1);
  });

  it("G10 is on the disk as far as it has come, and an image leaves from there: neither is held in memory", async () => {
    const head = `POST /files HTTP/1.1\r\n${ownHeaders(door)}x-file-name: half\r\nContent-Length: 10485760\r\n\r\n`;
    using half = await openRaw(door.port, head);
    half.socket.write(Buffer.alloc(9_000_000));
    const halfBytes = () =>
      readdirSync(stage.filesFolder, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith("/half"))
        .map((path) => statSync(join(stage.filesFolder, path)).size);
    await expect.poll(halfBytes, { timeout: 30_000 }).toEqual([9_000_000]);
    half.socket.destroy();
    await expect.poll(halfBytes, { timeout: 30_000 }).toEqual([]);

    const body = Buffer.alloc(shellLimits.shellFileBytes);
    Buffer.from("89504e470d0a1a0a", "hex").copy(body);
    const kept = await stage.fetch("/files", { method: "POST", headers: { ...stage.own, "x-file-name": "image" }, body });
    const { address } = JSON.parse(kept.body) as { address: string };
    expect((await stage.fetch(address, { headers: stage.own })).headers).toMatchObject({ "content-length": String(body.length) });
    expect(await stage.fetch(address, { method: "HEAD", headers: stage.own })).toMatchObject({ status: 200, body: "" });
    const before = process.memoryUsage().arrayBuffers;
    const readers = await Promise.all(
      Array.from({ length: 20 }, () => openRaw(door.port, `GET ${address} HTTP/1.1\r\n${ownHeaders(door)}\r\n`)),
    );
    await Promise.all(readers.map((reader) => reader.next("\r\n\r\n")));
    for (const { socket } of readers) socket.pause();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000);
    for (const { socket } of readers) socket.destroy();
  });

  it("is refused when it claims or sends too much, and when all of them are too many together", async () => {
    const headers = { ...stage.own, "x-file-name": "c" };
    const body = Buffer.alloc(shellLimits.shellFileBytes);
    expect((await stage.fetch("/files", { method: "POST", headers, body: Buffer.concat([body, Buffer.alloc(1)]) })).status).toBe(413);
    const statuses: number[] = [];
    for (let count = 0; count < 26; count++) statuses.push((await stage.fetch("/files", { method: "POST", headers, body })).status);
    expect(statuses.at(-1)).toBe(507);
    expect(statuses.slice(0, 20).every((status) => status === 201)).toBe(true);
    await isServed();
  });
});

describe("WEB-03 a body of a gigabyte", () => {
  it("is not read to its end, and takes no memory", async () => {
    // Once it is refused it stands still, and is an idle connection.
    await using server = await openServer({ requestMs: 2_000 });
    const headers = `${ownHeaders(server.door)}x-file-name: a\r\nContent-Length: 1073741824\r\n\r\n`;
    using raw = await openRaw(server.door.port, `POST /files HTTP/1.1\r\n${headers}`);
    const before = process.memoryUsage.rss();
    const piece = Buffer.alloc(1_000_000);
    let sent = 0;
    let isClosed = false;
    void raw.closed.then(() => (isClosed = true));
    while (!isClosed && sent < 1_073_741_824) {
      sent += piece.length;
      await Promise.race([new Promise((written) => raw.socket.write(piece, written)), raw.closed]);
    }
    expect(sent).toBeLessThan(4 * wireLimits.maxDiscardBytes);
    expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000);
    await server.isServed();
  });
});

describe("WEB-03 a request that does not come to its end", () => {
  it("is ended in its time, also when it says nothing at all, and so are a thousand of them", async () => {
    const requestMs = 2_000;
    await using server = await openServer({ requestMs });
    const { port } = server.door;
    // One whose head is whole has four times as long. It comes before the crowd, so that its head is read at once.
    const lateBegan = performance.now();
    const late = await openRaw(port, `POST /files HTTP/1.1\r\n${ownHeaders(server.door)}x-file-name: a\r\nContent-Length: 9\r\n\r\nx`);
    const lateMs = late.next("\r\n").then(() => performance.now() - lateBegan);
    // Before the other two, since the oldest strangers make room for new ones.
    const crowd = await Promise.all(Array.from({ length: 1_000 }, () => openRaw(port).catch(() => undefined)));
    const half = await openRaw(port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`);
    const drip = setInterval(() => half.socket.write("X: y\r\n"), 100);
    const silent = await openRaw(port);
    try {
      expect(await half.closed).toContain(" 408 ");
      expect(await silent.closed).toContain(" 408 ");
      await Promise.all(crowd.flatMap((raw) => (raw ? [raw.closed] : [])));
      expect(await lateMs).toBeGreaterThanOrEqual(4 * requestMs);
      expect(late.received()).toContain(" 408 ");
      await server.isServed();
    } finally {
      clearInterval(drip);
      for (const raw of [half, silent, late, ...crowd]) raw?.[Symbol.dispose]();
    }
  });

  it("has the time that the limits name", async () => {
    const { headers } = await stage.fetch("/", { headers: { connection: "keep-alive" } });
    expect(headers["keep-alive"]).toBe(`timeout=${shellLimits.shellRequestMs / 1_000}`);
  });
});
