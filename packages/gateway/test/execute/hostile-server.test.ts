// Answers that no well-behaved server gives: with every kind of connections they have the same outcome, and leave nothing open.

import { describe, expect, it, vi } from "vitest";
import { connectionKinds, rawStubOf, stubOf } from "../core-fixture.ts";

const many = (count: number, line: string): string => Array.from({ length: count }, (_, at) => line.replace("#", String(at))).join("");

const chunked = (chunks: string): string => `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`;

const whole = { ok: true, status: 200, response: { body: "ok" } };
const broken = { ok: false, code: 7, errorInfo: { kind: "network" } };

const answers: readonly (readonly [name: string, bytes: string, outcome: object])[] = [
  ["a body without a length, ended by the connection", "HTTP/1.1 200 OK\r\n\r\nok", whole],
  ["informational answers before the real one", `${many(20, "HTTP/1.1 103 Early\r\nx: #\r\n\r\n")}HTTP/1.1 200 OK\r\n\r\nok`, whole],
  ["chunks with extensions and trailers", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;a=b\r\nok\r\n0\r\nx: y\r\n\r\n", whole],
  ["bytes behind a whole answer", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nmore", whole],
  ["noise behind a whole answer", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok\0\0\0 what?", whole],
  ["HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nok", whole],
  ["2,500 headers", `HTTP/1.1 200 OK\r\n${many(2_500, "a:#\r\n")}\r\nok`, whole],
  ["headers beyond the limit", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(20_000)}\r\n\r\nok`, broken],
  ["endless headers", `HTTP/1.1 200 OK\r\n${many(100_000, "name: #\r\n")}`, broken],
  ["a body shorter than it said", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok", broken],
  ["chunks without an end", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n", broken],
  ["a chunk size that is none", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nok\r\n", broken],
  ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok", broken],
  ["a length and chunks", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", broken],
  ["a negative length", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nok", broken],
  ["a NUL in a header", "HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\nok", broken],
  ["another protocol", "HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nok", broken],
  ["a header that goes over two lines", "HTTP/1.1 200 OK\r\nx: a\r\n b\r\ncontent-length: 2\r\n\r\nok", broken],
  ["line feeds alone", "HTTP/1.1 200 OK\ncontent-length: 2\n\nok", broken],
  ["a line feed alone within the head", "HTTP/1.1 200 OK\r\nx: a\ncontent-length: 2\r\n\r\nok", broken],
  ["a carriage return within a value", "HTTP/1.1 200 OK\r\nx: a\rb\r\ncontent-length: 2\r\n\r\nok", broken],
  ["a control character in a value", "HTTP/1.1 200 OK\r\nx: \u0001\r\ncontent-length: 2\r\n\r\nok", broken],
  ["a blank before the colon", "HTTP/1.1 200 OK\r\ncontent-length : 2\r\n\r\nok", broken],
  ["a header without a name", "HTTP/1.1 200 OK\r\n: 2\r\n\r\nok", broken],
  ["a header without a colon", "HTTP/1.1 200 OK\r\nabc\r\n\r\nok", broken],
  ["the same length twice", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nok", broken],
  ["a list of lengths", "HTTP/1.1 200 OK\r\ncontent-length: 2, 2\r\n\r\nok", broken],
  ["a length with a sign", "HTTP/1.1 200 OK\r\ncontent-length: +2\r\n\r\nok", broken],
  ["an empty length", "HTTP/1.1 200 OK\r\ncontent-length:\r\n\r\nok", broken],
  ["a length beyond all numbers", "HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999999\r\n\r\nok", broken],
  ["a version of its own", "HTTP/1.2 200 OK\r\ncontent-length: 2\r\n\r\nok", broken],
  ["a status of four digits", "HTTP/1.1 2000 OK\r\ncontent-length: 2\r\n\r\nok", broken],
  ["a chunk that ends with something else", chunked("2\r\nokX0\r\n\r\n"), broken],
  ["a chunk size that ends with a line feed alone", chunked("2\nok\r\n0\r\n\r\n"), broken],
  ["a chunk size with blanks", chunked("2 \r\nok\r\n0\r\n\r\n"), broken],
  ["a chunk size with blanks before its extension", chunked("2 ;x\r\nok\r\n0\r\n\r\n"), broken],
  ["a chunk size with a prefix", chunked("0x2\r\nok\r\n0\r\n\r\n"), broken],
  ["a chunk size beyond all numbers", chunked("ffffffffffffffffff\r\nok\r\n0\r\n\r\n"), broken],
  ["a chunk without a size", chunked("\r\nok\r\n0\r\n\r\n"), broken],
  ["a control character in an extension", chunked("2;\u0001\r\nok\r\n0\r\n\r\n"), broken],
  ["a trailer that is none", chunked("2\r\nok\r\n0\r\nx y\r\n\r\n"), broken],
  ["a trailer beyond the limit", chunked(`2\r\nok\r\n0\r\nx: ${"y".repeat(20_000)}\r\n\r\n`), broken],
  ["an empty line before the answer", "\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", whole],
  ["chunks of an old version", chunked("2\r\nok\r\n0\r\n\r\n").replace("1.1", "1.0"), whole],
  ["no answer at all", "", broken],
  ["half a head", "HTTP/1.1 200 OK\r\nx", broken],
];

describe.each(connectionKinds)("a hostile server, with $kind", ({ coreOf }) => {
  it.each(answers)("%s", async (_name, bytes, outcome) => {
    const stub = await rawStubOf((socket) => socket.once("data", () => socket.end(bytes, "latin1")));
    expect(await coreOf(stub.url).call({ path: "/x" })).toMatchObject(outcome);
    expect(await coreOf(stub.url).call({ method: "POST", path: "/x", body: "{}", yes: true })).toMatchObject(outcome);
    expect(stub.connections).toBe(2);
    await vi.waitFor(() => expect(stub.openConnections).toBe(0), 30_000);
  });

  it("names every value of a header, also of one that is there twice, and of names that objects have", async () => {
    const lines = "set-cookie: a\r\nx: 1\r\nX: 2\r\ncontent-type: text/a\r\ncontent-type: text/b\r\n__proto__: p\r\nconstructor: c\r\n";
    const stub = await rawStubOf((socket) => socket.once("data", () => socket.end(`HTTP/1.1 200 OK\r\n${lines}\r\nok`)));
    const { response } = await coreOf(stub.url, { includeHeaders: true }).call({ path: "/x" });
    const named = Object.entries(response?.headers ?? {});
    expect(named).toEqual([
      ["Set-Cookie", ["a"]],
      ["X", ["1", "2"]],
      ["Content-Type", ["text/a", "text/b"]],
      ["__proto__", ["p"]],
      ["Constructor", ["c"]],
    ]);
  });

  it("errors name address and cause in the same words", async () => {
    const errorOf = async (bytes: string): Promise<string | undefined> => {
      const stub = await rawStubOf((socket) => socket.once("data", () => socket.end(bytes, "latin1")));
      const { error } = await coreOf(stub.url).call({ path: "/x" });
      return error?.replace(/:\d+:/, ":port:");
    };
    const closed = "network error: 127.0.0.1:port: connection closed before the response was complete (UND_ERR_SOCKET)";
    expect(await errorOf("")).toBe(closed);
    expect(await errorOf(answers.find(([name]) => name === "another protocol")?.[1] ?? "")).toBe(closed);
    expect(await errorOf(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(20_000)}\r\n\r\n`)).toMatch(/: response headers too large \(/);
  });
});

describe.each(connectionKinds)("what a server gets, with $kind", ({ coreOf }) => {
  it.each([
    ["GET", undefined, undefined],
    ["HEAD", undefined, undefined],
    ["DELETE", undefined, undefined],
    ["DELETE", '{"a":"ä"}', "10"],
    ["GET", "x", "1"],
    ["POST", undefined, "0"],
    ["POST", "", "0"],
    ["PUT", "ä", "2"],
    ["QUERY", undefined, "0"],
    ["SEARCH", "x", "1"],
  ])("%s with the body %j: content-length %s, and never chunks", async (method, body, length) => {
    const stub = await stubOf();
    const headers = ["X-Twice: 1", "X-Twice: 2"];
    const item = { method, path: "/a%20b?c=d", headers, yes: true, ...(body !== undefined && { body, contentType: "text/plain" }) };
    expect(await coreOf(stub.url).call(item)).toMatchObject({ ok: true });
    const [request] = stub.requests;
    expect(request).toMatchObject({ method, target: "/a%20b?c=d", body: Buffer.from(body ?? "") });
    expect(request?.headers).toMatchObject({ host: new URL(stub.url).host, "x-twice": "1, 2" });
    expect([request?.headers["content-length"], request?.headers["transfer-encoding"]]).toEqual([length, undefined]);
  });
});
