// The parser of our own connections, byte by byte: where the pieces of a response are cut changes nothing, and whatever can be
// read in two ways is refused with a code.

import { describe, expect, it, onTestFinished } from "vitest";
import { ResponseParser } from "../../src/execute/response-parser.ts";
import { gatewayLimits } from "../../src/limits.ts";

interface Parsed {
  status?: number;
  headers?: object;
  body: string;
  pieces: number;
  error?: string | undefined;
  isWhole: boolean;
  isReusable: boolean;
  keptMs: number | undefined;
}

/** Reads the text in pieces that are overwritten as soon as they were read, as those of a connection are. */
function parse(text: string, { method = "GET", cuts = [] as readonly number[], ends = false } = {}): Parsed {
  const bytes = Buffer.from(text, "latin1");
  const chunks: Buffer[] = [];
  const told: Pick<Parsed, "status" | "headers"> = {};
  const parser = new ResponseParser({
    onHead: (status, headers) => void Object.assign(told, { status, headers: { ...headers } }),
    onBody: (chunk) => void chunks.push(chunk),
  });
  parser.begin(method);
  let error: string | undefined;
  try {
    let from = 0;
    for (const cut of [...cuts, bytes.length]) {
      const piece = Buffer.from(bytes.subarray(from, cut));
      if (piece.length > 0) parser.read(piece, piece.length);
      piece.fill(0);
      from = cut;
    }
    if (ends) parser.end();
  } catch (thrown) {
    error = String((thrown as { code?: unknown }).code);
  }
  const { isWhole, isReusable, keptMs } = parser;
  return { ...told, body: Buffer.concat(chunks).toString("latin1"), pieces: chunks.length, error, isWhole, isReusable, keptMs };
}

const ok = "HTTP/1.1 200 OK\r\n";
const chunkedHead = `${ok}transfer-encoding: chunked\r\n\r\n`;
const samples = {
  "with a length": `${ok}Content-Type: text/plain\r\nX: \t a b \t\r\ncontent-length: 5\r\n\r\nhello`,
  "in chunks": `${chunkedHead}3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\nx: y\r\n\r\n`,
  "without a body": "HTTP/1.1 204 No Content\r\nx: y\r\n\r\n",
  "behind informational ones": `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nlink: x\r\n\r\n${ok}content-length: 5\r\n\r\nhello`,
  "behind an empty line": `\r\n${ok}content-length: 0\r\n\r\n`,
};

describe("a response", () => {
  it.each(Object.entries(samples))("%s is the same however it is cut, and whole with its last byte", (_name, text) => {
    const { pieces: _one, ...whole } = parse(text);
    expect(whole).toMatchObject({ isWhole: true, isReusable: true, error: undefined });
    const everyByte = Array.from({ length: text.length }, (_, at) => at);
    const cuts = [everyByte, ...everyByte.map((at) => [at])];
    const parsed = cuts.map((each) => ({ ...parse(text, { cuts: each }), pieces: undefined }));
    expect(parsed).toEqual(cuts.map(() => ({ ...whole, pieces: undefined })));
    expect(parse(text.slice(0, -1))).toMatchObject({ isWhole: false, error: undefined });
    expect(parse(`${text}x`)).toMatchObject({ isWhole: true, isReusable: false, body: whole.body });
  });

  it("without a length ends with its connection, which carries no other", () => {
    expect(parse(`${ok}\r\nhello`)).toMatchObject({ body: "hello", isWhole: false });
    expect(parse(`${ok}\r\nhello`, { ends: true })).toMatchObject({ body: "hello", isWhole: true, isReusable: false });
    expect(parse(`${ok}content-length: 9\r\n\r\nhello`, { ends: true })).toMatchObject({ isWhole: false });
    expect(parse(`${chunkedHead}5\r\nhello\r\n`, { ends: true })).toMatchObject({ isWhole: false });
  });

  it("hands its body on once for each piece that was read, however many chunks are in it", () => {
    const chunks = "1\r\nx\r\n".repeat(5_000);
    expect(parse(`${chunkedHead}${chunks}0\r\n\r\n`)).toMatchObject({ body: "x".repeat(5_000), pieces: 1, isWhole: true });
  });

  it("to HEAD, a 204 and a 304 have no body, whatever they say", () => {
    expect(parse(`${ok}content-length: 5\r\n\r\n`, { method: "HEAD" })).toMatchObject({ isWhole: true, isReusable: false, body: "" });
    expect(parse(chunkedHead, { method: "HEAD" })).toMatchObject({ isWhole: true, body: "" });
    for (const status of ["204 No Content", "304 Not Modified"]) {
      const head = `HTTP/1.1 ${status}\r\n`;
      expect(parse(`${head}\r\n`)).toMatchObject({ isWhole: true, isReusable: true });
      expect(parse(`${head}content-length: 5\r\n\r\nhello`)).toMatchObject({ isWhole: true, isReusable: false, body: "" });
      expect(parse(`${head}transfer-encoding: chunked\r\n\r\n`)).toMatchObject({ isWhole: true, isReusable: false });
    }
  });
});

describe("whether a connection may be used again", () => {
  it.each([
    ["HTTP/1.1 200 OK", "", true],
    ["HTTP/1.1 200 OK", "connection: keep-alive\r\n", true],
    ["HTTP/1.1 200 OK", "connection: close\r\n", false],
    ["HTTP/1.1 200 OK", "Connection: x, Close\r\n", false],
    ["HTTP/1.1 200 OK", "connection: x\r\nconnection: close\r\n", false],
    ["HTTP/1.1 200 OK", "connection: closed\r\n", true],
    ["HTTP/1.0 200 OK", "", false],
    ["HTTP/1.0 200 OK", "connection: Keep-Alive\r\n", true],
  ])("%s with %j: %s", (status, lines, isReusable) => {
    expect(parse(`${status}\r\n${lines}content-length: 0\r\n\r\n`)).toMatchObject({ isWhole: true, isReusable });
  });

  it("says for how long the server keeps it", () => {
    const keptFor = (lines: string): number | undefined => parse(`${ok}${lines}content-length: 0\r\n\r\n`).keptMs;
    expect(keptFor("")).toBe(undefined);
    expect(keptFor("Keep-Alive: timeout=5\r\n")).toBe(5_000);
    expect(keptFor("Keep-Alive: max=9, timeout=5\r\n")).toBe(5_000);
    expect(keptFor("Keep-Alive: timeout=soon\r\n")).toBe(undefined);
  });
});

describe("what other clients let pass is refused", () => {
  it.each([
    ["two codings", `${ok}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, "HPE_INVALID_TRANSFER_ENCODING"],
    ["chunks in chunks", `${ok}transfer-encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, "HPE_INVALID_TRANSFER_ENCODING"],
    ["another coding than chunks", `${ok}transfer-encoding: identity\r\n\r\nok`, "HPE_INVALID_TRANSFER_ENCODING"],
    ["a coding that ends like one", `${ok}transfer-encoding: xchunked\r\n\r\nok`, "HPE_INVALID_TRANSFER_ENCODING"],
    ["chunks and a length", `${ok}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n`, "HPE_UNEXPECTED_CONTENT_LENGTH"],
    ["an informational one with a body", `HTTP/1.1 103 Early\r\ncontent-length: 3\r\n\r\n${ok}`, "HPE_UNEXPECTED_CONTENT_LENGTH"],
    ["another protocol", "HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n", "UND_ERR_SOCKET"],
    ["another version", "HTTP/2.0 200 OK\r\n\r\n", "HPE_INVALID_CONSTANT"],
    ["a status below all", "HTTP/1.1 099 OK\r\n\r\n", "HPE_INVALID_CONSTANT"],
    ["a control character in the reason", "HTTP/1.1 200 \u0001\r\n\r\n", "HPE_INVALID_CONSTANT"],
    ["something else, before its line has ended", "SSH-2.0-x", "HPE_INVALID_CONSTANT"],
    ["something else behind a line break", "\rX", "HPE_INVALID_CONSTANT"],
    ["a line without an end", `${ok}x: ${"y".repeat(gatewayLimits.maxResponseHeadBytes)}`, "UND_ERR_HEADERS_OVERFLOW"],
    ["blanks without an end", `${ok}x: ${" ".repeat(gatewayLimits.maxResponseHeadBytes)}\r\n`, "UND_ERR_HEADERS_OVERFLOW"],
    ["many headers", `${ok}${"name: value\r\n".repeat(2_000)}`, "UND_ERR_HEADERS_OVERFLOW"],
    ["many empty lines", "\r\n".repeat(20_000), "UND_ERR_HEADERS_OVERFLOW"],
    ["many short extensions", `${chunkedHead}${`1;${"e".repeat(99)}\r\nx\r\n`.repeat(200)}`, "UND_ERR_HEADERS_OVERFLOW"],
    ["many trailers", `${chunkedHead}0\r\n${"name: value\r\n".repeat(2_000)}`, "UND_ERR_HEADERS_OVERFLOW"],
  ])("%s", (_name, text, error) => {
    expect(parse(text)).toMatchObject({ error, isWhole: false });
    expect(parse(text, { cuts: Array.from({ length: text.length }, (_, at) => at) })).toMatchObject({ error, isWhole: false });
  });

  it("noise in a response ends it with a code, or changes it, and gives no more body than came", () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const texts = Object.values(samples);
    const noise = ["\r", "\n", "\r\n", "\0", ":", " ", "0", "f", "chunked", "content-length: 1\r\n", "\xff"];
    const wrong: string[] = [];
    for (let round = 0; round < 5_000; round++) {
      const text = texts[round % texts.length] as string;
      const at = random(text.length);
      const spoilt = text.slice(0, at) + (noise[random(noise.length)] as string) + text.slice(at + random(3));
      const { error = "HPE_", body } = parse(spoilt, { cuts: [random(spoilt.length)] });
      if (!/^(?:HPE_|UND_ERR_)/.test(error) || body.length > spoilt.length) wrong.push(spoilt);
    }
    expect(wrong).toEqual([]);
  });
});

describe("a head that is the same as the one before it, byte by byte", () => {
  const head = `${ok}content-length: 5\r\nx: y\r\n\r\n`;
  const chunked = `${chunkedHead}2;${"e".repeat(400)}\r\nhi\r\n0\r\n\r\n`;
  const noChunks = `${chunkedHead}0;${"e".repeat(400)}\r\n\r\n`;
  const empty = `${ok}content-length: 0\r\n\r\n`;
  const noContent = "HTTP/1.1 204 No Content\r\nx: y\r\n\r\n";

  /** What one connection reads, a response after the other, each in one piece. */
  function parseAll(responses: readonly (readonly [method: string, text: string])[]): string[] {
    let told = "";
    const parser = new ResponseParser({
      onHead: (status, headers) => (told += `${status} ${JSON.stringify(headers)} `),
      onBody: (chunk) => (told += chunk.toString("latin1")),
    });
    return responses.map(([method, text]) => {
      told = "";
      parser.begin(method);
      parser.read(Buffer.from(text, "latin1"), text.length);
      return `${told} ${parser.isWhole ? "whole" : "open"} ${parser.isReusable ? "kept" : "ended"} ${parser.keptMs ?? ""}`;
    });
  }

  it("means what it meant, for its own method and its own body", () => {
    const responses = [
      ["GET", `${head}hello`],
      ["GET", `${head}world`],
      ["HEAD", head],
      ["GET", `${head}he`],
      ["GET", head.replace("5", "4") + "four"],
      ["GET", `${head}again`],
      ["GET", `${head}above!`],
      ["GET", empty],
      ["GET", empty],
      ["GET", noContent],
      ["GET", noContent],
      ["GET", `HTTP/1.1 100 Continue\r\n\r\n${head}hello`],
      ["GET", `HTTP/1.1 100 Continue\r\n\r\n${head}world`],
      ["GET", `${head.replace("x: y", "x: z")}world`],
      ["GET", `${ok}keep-alive: timeout=3\r\ncontent-length: 2\r\n\r\nhi`],
      ["GET", `${ok}keep-alive: timeout=3\r\ncontent-length: 2\r\n\r\nho`],
    ] as const;
    expect(parseAll(responses)).toEqual(responses.map((response) => parseAll([response])[0]));
  });

  it("is not taken from a response in chunks, whose lines stand behind its head and count", () => {
    const responses = [chunked, noChunks].flatMap((text) => Array.from({ length: 5 }, () => ["GET", text] as const));
    const { maxResponseHeadBytes } = gatewayLimits;
    onTestFinished(() => void Object.assign(gatewayLimits, { maxResponseHeadBytes }));
    gatewayLimits.maxResponseHeadBytes = 1_000;
    expect(parseAll(responses)).toEqual(responses.map((response) => parseAll([response])[0]));
  });
});
