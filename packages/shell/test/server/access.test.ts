// Who may speak to the local server, and what a page of another origin can do: nothing.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
beforeAll(async () => void (stage = await openStage()));
afterAll(() => stage[Symbol.asyncDispose]());

describe("the address", () => {
  it("answers a plain GET with the page, without a cookie, and its key is in no part that is sent", async () => {
    const { url } = stage.shell.newAddress();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#key=[\w-]{43}$/);
    const answer = await fetch(url);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("<title>page")]);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  it("G16 leads to files that are public and hold no secret; everything else needs the credential", async () => {
    const key = stage.newKey();
    for (const path of ["/", "/assets/main.js"]) {
      const { status, body, headers } = await stage.fetch(path);
      expect([status, headers["set-cookie"]]).toEqual([200, undefined]);
      expect(body).not.toMatch(new RegExp(`${key}|${stage.credential}`));
    }
    const { origin } = stage;
    for (const [method, path] of [...closed, ["POST", "/credentials"]] as const)
      for (const secret of ["", "wrong", ...(path === "/credentials" && method === "POST" ? [] : [key])]) {
        const answer = await stage.fetch(path, { method, headers: { origin, ...(secret && { authorization: `Bearer ${secret}` }) } });
        expect([answer.status, answer.headers["www-authenticate"]], `${method} ${path} ${secret}`).toEqual([401, "Bearer"]);
        expect(answer.body).toContain("press Enter in the terminal for a new address");
      }
    for (const [method, path, status] of closed)
      expect((await stage.fetch(path, { method, headers: { ...stage.own, "x-file-name": "a" } })).status, path).toBe(status);
  });

  it("WEB-03 serves the page's files and nothing else, whatever the path says", async () => {
    expect((await stage.fetch("/assets/main.js")).status).toBe(200);
    const paths = [
      "/../secret.txt",
      "/assets/../../secret.txt",
      "/..%2fsecret.txt",
      "/%2e%2e/secret.txt",
      "/assets/%00",
      "//etc/passwd",
      "/files/x",
      "/link",
    ];
    for (const path of paths) {
      const answer = await stage.fetch(path, { headers: stage.own });
      expect([400, 404], path).toContain(answer.status);
      expect(answer.body).not.toContain("not to be served");
    }
  });

  it("WEB-04 carries headers that let nothing in and nothing out, and is not kept", async () => {
    const { headers } = await stage.fetch("/");
    expect(headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });
});

/** What only a page that is in may ask for, and how it is answered then. */
const closed = [
  ["GET", "/credentials", 200],
  ["POST", "/keys", 201],
  ["POST", "/files", 201],
  ["GET", "/files/x", 404],
  ["GET", "/nowhere", 404],
  ["POST", "/nowhere", 404],
] as const;

describe("a page of another origin", () => {
  const visit = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

  it("may lead the browser to the page, and to nothing else; it neither frames nor reads it", async () => {
    expect((await stage.fetch("/", { headers: visit })).status).toBe(200);
    expect((await stage.fetch("/", { headers: { ...visit, "sec-fetch-dest": "iframe" } })).status).toBe(403);
    expect((await stage.fetch("/", { headers: { ...visit, "sec-fetch-mode": "no-cors" } })).status).toBe(403);
    expect((await stage.fetch("/", { headers: { "sec-fetch-site": "same-site" } })).status).toBe(403);
    expect((await stage.fetch("/", { headers: { origin: "https://evil.example" } })).status).toBe(403);
    const { authorization } = stage.own;
    expect((await stage.fetch("/credentials", { headers: { ...visit, authorization } })).status).toBe(403);
    expect((await stage.fetch("/", { method: "POST", headers: { ...visit, origin: "https://evil.example" } })).status).toBe(403);
  });

  it("can't reach the server under a name of its own (DNS rebinding)", async () => {
    const { authorization } = stage.own;
    for (const host of ["evil.example", `evil.example:${stage.shell.port}`, "127.0.0.1", `127.0.0.1:${stage.shell.port}.evil.example`]) {
      expect((await stage.fetch("/", { headers: { host } })).status).toBe(403);
      expect((await stage.fetch("/credentials", { headers: { host, authorization } })).status).toBe(403);
    }
  });

  it("can't send anything, even with the credential (CSRF)", async () => {
    const file = { method: "POST", body: "x" };
    const headers = { authorization: stage.own.authorization, "x-file-name": "a.txt" };
    expect((await stage.fetch("/files", { ...file, headers: { ...headers, origin: "https://evil.example" } })).status).toBe(403);
    expect((await stage.fetch("/files", { ...file, headers: { ...headers, origin: "null" } })).status).toBe(403);
    expect((await stage.fetch("/files", { ...file, headers })).status).toBe(403);
    expect(
      (await stage.fetch("/files", { ...file, headers: { ...headers, origin: stage.origin, "sec-fetch-site": "cross-site" } })).status,
    ).toBe(403);
    expect((await stage.fetch("/files", { ...file, headers: { ...headers, origin: stage.origin } })).status).toBe(201);
  });

  it("can't open the socket, even with the credential (WebSocket hijack), nor the page without one", async () => {
    const { origin } = stage;
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: `http://localhost:${stage.shell.port}` },
      {},
      { origin, host: "evil.example" },
    ])
      await expect(stage.connect({ headers: headers as Record<string, string> })).rejects.toThrow("403");
    for (const credential of ["wrong", stage.newKey()]) await expect(stage.connect({ credential })).rejects.toThrow("401");
  });

  it("is told nothing by other methods", async () => {
    for (const method of ["PUT", "DELETE", "OPTIONS", "PATCH"])
      expect((await stage.fetch("/", { method, headers: stage.own })).status).toBe(405);
  });
});

describe("the listener", () => {
  it("WEB-02 is on 127.0.0.1 only", (context) => {
    if (process.platform !== "linux") context.skip("needs /proc/net");
    const hexPort = stage.shell.port.toString(16).toUpperCase().padStart(4, "0");
    const own = ownSockets();
    const rows = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((path) => readFileSync(path, "utf8").split("\n"));
    // Another program may have the same port of another address.
    const listening = rows
      .map((row) => row.trim().split(/\s+/))
      .filter(([, local, , state, , , , , , inode]) => local?.endsWith(`:${hexPort}`) && state === "0A" && own.has(`socket:[${inode}]`));
    expect(listening.map(([, local]) => local)).toEqual([`0100007F:${hexPort}`]);
  });

  it("WEB-03 survives requests that are none, and stays alive", async () => {
    const broken = [
      "GET\r\n\r\n",
      "\u0000\u0001\u0002\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      `GET / HTTP/1.1\r\nX: ${"y".repeat(50_000)}\r\n\r\n`,
      "POST /files HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
      "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    ];
    const lines = await Promise.all(broken.map((text) => firstLineFor(stage.shell.port, text)));
    for (const line of lines) expect(line).toMatch(/^(?:HTTP\/1\.1 4\d\d .*)?$/);
    expect((await stage.fetch("/")).status).toBe(200);
  });

  it("WEB-03 a body without end is cut off, and what was kept of it is gone", async () => {
    const answer = await stage.fetch("/files", {
      method: "POST",
      headers: { ...stage.own, "x-file-name": "big.bin" },
      body: Buffer.alloc(11_000_000),
    });
    expect(answer).toMatchObject({ status: 413, body: expect.stringContaining("larger than") as string });
    expect((await stage.fetch("/")).status).toBe(200);
  });

  it("says in one sentence that a port is taken", async () => {
    await expect(openStage({ port: stage.shell.port })).rejects.toThrow(/port \d+ can't be used.*--port/);
  });
});

/** As `/proc` names them. */
function ownSockets(): ReadonlySet<string> {
  const names = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // The one that the list was read through.
      return "";
    }
  });
  return new Set(names);
}

function firstLineFor(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let received = "";
    socket.on("data", (chunk) => {
      received += String(chunk);
      // A connection that was answered may stay open for a while.
      if (received.includes("\r\n")) socket.destroy();
    });
    socket.on("error", () => resolve(""));
    socket.on("close", () => resolve(received.split("\r\n", 1)[0] ?? ""));
    socket.setTimeout(20_000, () => socket.destroy());
  });
}
