// Requests by hand, as no browser would make them: wrong names in every spelling, paths in every code, bodies
// that never come, heads that never end. Nothing is answered that should not be, and the server stays.

import { existsSync, readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "@hawser/wire";
import { createAccess } from "../../src/server/access.ts";
import { openRaw, ownHeaders, upgradeHead, type Door } from "./raw-socket.ts";
import { openServer, openStage, type Stage } from "./stage.ts";

let stage: Stage;
let door: Door;
beforeAll(async () => {
  stage = await openStage();
  door = { port: stage.shell.port, key: stage.key };
});
afterAll(() => stage[Symbol.asyncDispose]());

/** The status of the answer; 0 when there was none. */
async function statusOf(head: string): Promise<number> {
  using raw = await openRaw(door.port, head);
  raw.socket.setTimeout(20_000, () => raw.socket.destroy());
  // Without an answer there is no line to wait for.
  await raw.next("\r\n").catch(() => undefined);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(raw.received())?.[1] ?? 0);
}

const cookie = () => `Cookie: hawser-${door.port}=${door.key}\r\n`;
const isServed = async () => expect((await stage.fetch(`/?key=${stage.key}`)).status).toBe(200);

describe("a Host that is not the server's own", () => {
  const names = (port: number) => [
    "",
    "127.0.0.1",
    `127.0.0.1:${port + 1}`,
    `127.0.0.1.:${port}`,
    `LOCALHOST:${port}`,
    `localhost.:${port}`,
    `[::1]:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `0.0.0.0:${port}`,
    `127.1:${port}`,
    `0x7f.1:${port}`,
    `2130706433:${port}`,
    `user@127.0.0.1:${port}`,
    `127.0.0.1:0${port}`,
    `127.0.0.1:${port}@evil.example`,
    `127.0.0.1:${port}, evil.example`,
    `evil.example#127.0.0.1:${port}`,
  ];

  it("is refused in every spelling, with key and cookie, for a page and for a WebSocket", async () => {
    for (const name of names(door.port)) {
      const host = `Host: ${name}\r\n${cookie()}`;
      expect([400, 403], name).toContain(await statusOf(`GET /?key=${door.key} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`));
      expect([400, 403], name).toContain(await statusOf(upgradeHead(`${host}Origin: http://${name}\r\n`)));
    }
    expect(await statusOf(`GET /?key=${door.key} HTTP/1.1\r\nHost: 127.0.0.1:${door.port}\r\n\r\n`)).toBe(200);
    expect(await statusOf(`GET /?key=${door.key} HTTP/1.1\r\nHost: localhost:${door.port}\r\n\r\n`)).toBe(200);
  });

  it("is refused when there is none, and what the request line names is not believed", async () => {
    expect(await statusOf(`GET /?key=${door.key} HTTP/1.1\r\n\r\n`)).toBe(400);
    expect(await statusOf(`GET /?key=${door.key} HTTP/1.0\r\n\r\n`)).toBe(403);
    const host = `Host: 127.0.0.1:${door.port}\r\n${cookie()}Connection: close\r\n`;
    for (const line of [`http://127.0.0.1:${door.port}/`, `http://evil.example/?key=${door.key}`, "*", "evil.example:80"])
      expect([400, 404, 405], line).toContain(await statusOf(`GET ${line} HTTP/1.1\r\n${host}\r\n`));
    expect(await statusOf(`GET //evil.example/ HTTP/1.1\r\n${host}\r\n`)).toBe(404);
    expect(await statusOf(`CONNECT 127.0.0.1:${door.port} HTTP/1.1\r\n${host}\r\n`)).toBe(0);
  });

  it("on port 80 is written without the port, as browsers do", () => {
    const access = createAccess(80);
    const ask = (host: string) =>
      access.refuse({ headers: { host }, method: "GET" } as never, new URL(`http://shell/?key=${access.key}`))?.status;
    expect([ask("127.0.0.1"), ask("localhost"), ask("127.0.0.1:8080"), ask("evil.example")]).toEqual([undefined, undefined, 403, 403]);
  });
});

describe("an Origin that is not the page's", () => {
  it("is refused in every spelling, for what changes something and for a WebSocket", async () => {
    const { port } = door;
    const origins = [
      "null",
      "",
      `http://127.0.0.1:${port}/`,
      `HTTP://127.0.0.1:${port}`,
      `https://127.0.0.1:${port}`,
      `http://localhost:${port}`,
      `http://127.0.0.1:${port}.evil.example`,
      `http://127.0.0.1:${port}@evil.example`,
      `http://user@127.0.0.1:${port}`,
      "http://127.0.0.1",
      `http://[::1]:${port}`,
      "file://",
    ];
    for (const origin of origins) {
      const headers = `Host: 127.0.0.1:${port}\r\nOrigin: ${origin}\r\n${cookie()}`;
      expect(await statusOf(`POST /files HTTP/1.1\r\n${headers}x-file-name: a\r\nContent-Length: 0\r\n\r\n`), origin).toBe(403);
      expect(await statusOf(upgradeHead(headers)), origin).toBe(403);
    }
    expect(await statusOf(upgradeHead(ownHeaders(door)))).toBe(101);
  });
});

describe("a key that is not the key", () => {
  it("is refused whatever it shares with it, and a stranger's cookie of the same name hides nothing", async () => {
    const name = `hawser-${door.port}`;
    const host = `Host: 127.0.0.1:${door.port}\r\n`;
    const guesses = [door.key.slice(0, -1), `${door.key}x`, door.key.toLowerCase(), ` ${door.key}`.repeat(2), "%00", "a".repeat(10_000)];
    for (const guess of guesses) {
      expect(await statusOf(`GET / HTTP/1.1\r\n${host}Cookie: ${name}=${guess}\r\n\r\n`), guess).toBe(403);
      expect(await statusOf(`GET /?key=${encodeURIComponent(guess)} HTTP/1.1\r\n${host}\r\n`), guess).toBe(403);
    }
    expect(await statusOf(`GET / HTTP/1.1\r\n${host}Cookie: x${name}=${door.key}\r\n\r\n`)).toBe(403);
    expect(await statusOf(`GET / HTTP/1.1\r\n${host}Cookie: ${name}=evil; ${name}=${door.key}\r\n\r\n`)).toBe(200);
  });
});

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
    expect(readdirSync(stage.filesFolder)).toEqual([]);
  });
});

describe("a file", () => {
  const post = (headers: string, body = "") => statusOf(`POST /files HTTP/1.1\r\n${ownHeaders(door)}${headers}\r\n${body}`);

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
        headers: { cookie: `hawser-${door.port}=${door.key}`, origin: stage.origin, "x-file-name": name },
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
    const whole = { method: "POST", headers: { cookie: `hawser-${door.port}=${door.key}`, origin: stage.origin, "x-file-name": "b" } };
    expect((await stage.fetch("/files", { ...whole, body: Buffer.alloc(limits.shellFileBytes) })).status).toBe(201);
    expect(readdirSync(stage.filesFolder)).toHaveLength(before.length + 1);
  });

  it("is refused when it claims or sends too much, and when all of them are too many together", async () => {
    const headers = { cookie: `hawser-${door.port}=${door.key}`, origin: stage.origin, "x-file-name": "c" };
    const body = Buffer.alloc(limits.shellFileBytes);
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
    await using server = await openServer(stage, 2_000);
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
    expect(sent).toBeLessThan(4 * limits.maxDiscardBytes);
    expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000);
    await server.isServed();
  });
});

describe("WEB-03 a request that does not come to its end", () => {
  it("is ended in its time, also when it says nothing at all, and so are a thousand of them", async () => {
    const requestMs = 2_000;
    await using server = await openServer(stage, requestMs);
    const { port } = server.door;
    const half = await openRaw(port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`);
    const drip = setInterval(() => half.socket.write("X: y\r\n"), 100);
    const silent = await openRaw(port);
    // One whose head is whole has four times as long.
    const lateBegan = performance.now();
    const late = await openRaw(port, `POST /files HTTP/1.1\r\n${ownHeaders(server.door)}x-file-name: a\r\nContent-Length: 9\r\n\r\nx`);
    const lateMs = late.next("\r\n").then(() => performance.now() - lateBegan);
    const crowd = await Promise.all(Array.from({ length: 1_000 }, () => openRaw(port).catch(() => undefined)));
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
    const { headers } = await stage.fetch(`/?key=${stage.key}`, { headers: { connection: "keep-alive" } });
    expect(headers["keep-alive"]).toBe(`timeout=${limits.shellRequestMs / 1_000}`);
  });
});
