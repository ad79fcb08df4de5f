// Heads by hand, as no browser would write them: names of the server and of the page in every spelling, headers
// that come twice, and what looks like a credential. Nothing of it lets anybody in.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRefusals } from "../../src/server/access.ts";
import { linkHeaders, openRaw, ownHeaders, statusOf as statusAt, toProtocolHeader, upgradeHead, type Door } from "./raw-socket.ts";
import { openServer } from "./stage.ts";

let stage: Awaited<ReturnType<typeof openServer>>;
let door: Door;
beforeAll(async () => {
  stage = await openServer();
  door = stage.door;
});
afterAll(() => stage[Symbol.asyncDispose]());

const statusOf = (head: string): Promise<number> => statusAt(door.port, head);
const bearer = () => `Authorization: Bearer ${door.credential}\r\n`;

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

  it("is refused in every spelling, with the credential, for the page, its exchange of a key, and a WebSocket", async () => {
    const key = stage.newKey();
    for (const name of names(door.port)) {
      const host = `Host: ${name}\r\nOrigin: http://${name}\r\n`;
      expect([400, 403], name).toContain(await statusOf(`GET / HTTP/1.1\r\nHost: ${name}\r\n${bearer()}Connection: close\r\n\r\n`));
      expect([400, 403], name).toContain(await statusOf(`POST /credentials HTTP/1.1\r\n${host}Authorization: Bearer ${key}\r\n\r\n`));
      expect([400, 403], name).toContain(await statusOf(upgradeHead(host + toProtocolHeader(door.credential))));
    }
    expect((await stage.exchange(key)).status).toBe(201);
    expect(await statusOf(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${door.port}\r\n\r\n`)).toBe(200);
    expect(await statusOf(`GET / HTTP/1.1\r\nHost: localhost:${door.port}\r\n\r\n`)).toBe(200);
  });

  it("is refused when there is none, and what the request line names is not believed", async () => {
    expect(await statusOf("GET / HTTP/1.1\r\n\r\n")).toBe(400);
    expect(await statusOf("GET / HTTP/1.0\r\n\r\n")).toBe(403);
    const host = `Host: 127.0.0.1:${door.port}\r\n${bearer()}Connection: close\r\n`;
    for (const line of [`http://127.0.0.1:${door.port}/`, "http://evil.example/", "*", "evil.example:80"])
      expect(await statusOf(`GET ${line} HTTP/1.1\r\n${host}\r\n`), line).toBe(400);
    for (const line of [`http://127.0.0.1:${door.port}/link`, "http://evil.example/link"])
      expect(await statusOf(upgradeHead(linkHeaders(door)).replace("/link", line)), line).toBe(400);
    expect(await statusOf(`GET //evil.example/ HTTP/1.1\r\n${host}\r\n`)).toBe(404);
    expect(await statusOf(`CONNECT 127.0.0.1:${door.port} HTTP/1.1\r\n${host}\r\n`)).toBe(0);
  });

  it("on port 80 is written without the port, as browsers do", () => {
    const refuse = createRefusals(80);
    const ask = (host: string) => refuse({ headers: { host }, headersDistinct: { host: [host] }, method: "GET" } as never, true)?.status;
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
      const headers = `Host: 127.0.0.1:${port}\r\nOrigin: ${origin}\r\n`;
      const file = `POST /files HTTP/1.1\r\n${headers}${bearer()}x-file-name: a\r\nContent-Length: 0\r\n\r\n`;
      expect(await statusOf(file), origin).toBe(403);
      expect(await statusOf(upgradeHead(headers + toProtocolHeader(door.credential))), origin).toBe(403);
    }
    expect(await statusOf(upgradeHead(linkHeaders(door)))).toBe(101);
  });
});

describe("a header that comes twice", () => {
  it("is refused, whichever it is and whichever of the two would do: of two readers, each could believe another one", async () => {
    const { port, credential } = door;
    const [good, evil] = [`127.0.0.1:${port}`, "evil.example"];
    const own = ownHeaders(door);
    const get = (headers: string) => statusOf(`GET /credentials HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
    const post = (headers: string) => statusOf(`POST /keys HTTP/1.1\r\n${headers}Content-Length: 0\r\n\r\n`);
    expect([await get(own), await post(own), await statusOf(upgradeHead(linkHeaders(door)))]).toEqual([200, 201, 101]);
    for (const second of [good, evil]) {
      expect(await statusOf(`GET / HTTP/1.1\r\nHost: ${good}\r\nHost: ${second}\r\n\r\n`)).toBe(400);
      expect(await statusOf(`GET / HTTP/1.1\r\nHost: ${second}\r\nHost: ${good}\r\n\r\n`)).toBe(400);
      expect(await statusOf(upgradeHead(`Host: ${second}\r\n${linkHeaders(door)}`))).toBe(400);
      expect(await post(`${own}Origin: http://${second}\r\n`)).toBe(400);
      expect(await statusOf(upgradeHead(`${linkHeaders(door)}Origin: http://${second}\r\n`))).toBe(400);
    }
    for (const second of [credential, "x".repeat(43)]) {
      expect(await get(`${own}Authorization: Bearer ${second}\r\n`)).toBe(400);
      expect(await get(`Authorization: Bearer ${second}\r\n${own}`)).toBe(400);
      expect(await statusOf(upgradeHead(linkHeaders(door) + toProtocolHeader(second)))).toBe(400);
      expect(await statusOf(upgradeHead(toProtocolHeader(second) + linkHeaders(door)))).toBe(400);
    }
    expect(await post(`${own}x-file-name: a\r\nx-file-name: b\r\n`)).toBe(400);
    expect(await get(`${own}Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\n`)).toBe(400);
  });
});

describe("G16 a credential that is not one", () => {
  const host = () => `Host: 127.0.0.1:${door.port}\r\n`;

  it("is refused whatever it shares with a good one, in every spelling, and so is a key in its place", async () => {
    const { credential } = door;
    const guesses = [credential.slice(0, -1), `${credential}x`, credential.toLowerCase(), stage.newKey(), "", "%00", "a".repeat(10_000)];
    for (const guess of guesses) {
      expect(await statusOf(`GET /credentials HTTP/1.1\r\n${host()}Authorization: Bearer ${guess}\r\n\r\n`), guess).toBe(401);
      expect(await statusOf(upgradeHead(linkHeaders({ ...door, credential: guess }))), guess).toBe(401);
    }
    for (const header of [
      `Basic ${credential}`,
      `bearer ${credential}`,
      `Bearer  ${credential}`,
      credential,
      `Bearer ${credential}, Bearer x`,
    ])
      expect(await statusOf(`GET /credentials HTTP/1.1\r\n${host()}Authorization: ${header}\r\n\r\n`), header).toBe(401);
    for (const elsewhere of [`Cookie: hawser-${door.port}=${credential}`, `X-Authorization: Bearer ${credential}`])
      expect(await statusOf(`GET /credentials HTTP/1.1\r\n${host()}${elsewhere}\r\n\r\n`), elsewhere).toBe(401);
    expect(await statusOf(`GET /credentials?key=${credential} HTTP/1.1\r\n${host()}\r\n`)).toBe(401);
  });

  it("opens no link, whatever else stands among its subprotocols, and only `hawser` is said in return", async () => {
    const { credential } = door;
    const offers = [
      "hawser",
      `hawser.key.${credential}`,
      `hawser.key.${credential}, hawser`,
      `hawser, hawser.key.${credential}, hawser.key.x`,
      `hawser, hawser.key.x, hawser.key.${credential}`,
      `hawser, ${credential}`,
      `Hawser, hawser.key.${credential}`,
    ];
    const site = `${host()}Origin: http://127.0.0.1:${door.port}\r\n`;
    for (const offer of offers) expect(await statusOf(upgradeHead(`${site}Sec-WebSocket-Protocol: ${offer}\r\n`)), offer).toBe(401);
    expect(await statusOf(upgradeHead(site + bearer()))).toBe(401);
    using raw = await openRaw(door.port, upgradeHead(linkHeaders(door)));
    const head = (await raw.next("\r\n\r\n")).split("\r\n\r\n", 1)[0] ?? "";
    expect(head).toMatch(/^Sec-WebSocket-Protocol: hawser$/im);
    expect(head).not.toContain(credential);
  });
});
