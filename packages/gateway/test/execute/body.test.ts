// Response bodies: kept up to a limit, decompressed within it, decoded by their charset, and short
// enough as JSON for one line of an answer.

import * as zlib from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { gatewayLimits } from "../../src/limits.ts";
import { answer } from "../../../../test/kit/api-stub.ts";
import { connectionKinds, rawStubOf, stubOf, type CoreOf } from "../core-fixture.ts";

const bodyWith =
  (coreOf: CoreOf) =>
  async (body: string | Buffer, headers: Record<string, string> = {}, options = {}) => {
    const stub = await stubOf((_request, response) => answer(response, 200, body, headers));
    return coreOf(stub.url, options).call({ path: "/x" });
  };

let bomb: Buffer | undefined;
const kinds = connectionKinds.map((each) => ({ ...each, bodyOf: bodyWith(each.coreOf) }));

describe.each(kinds)("body limit, with $kind", ({ coreOf, bodyOf }) => {
  it("keeps exactly the limit, and one byte more is `ok` and `truncated`", async () => {
    expect((await bodyOf("x".repeat(1000), {}, { maxBodyBytes: 1000 })).response).toEqual({
      status: 200,
      body: "x".repeat(1000),
      bytes: 1000,
    });
    const over = await bodyOf("x".repeat(1001), {}, { maxBodyBytes: 1000 });
    expect(over.response).toEqual({ status: 200, body: "x".repeat(1000), bytes: 1000, truncated: true });
    expect(over).toMatchObject({ ok: true, code: 0, stats: { bodyBytes: 1000, truncated: true } });
  });

  it("is 4 MiB unless given, and the connection of an endless body is dropped", async () => {
    const stub = await rawStubOf((socket) => {
      socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\n\r\n", pour));
      // A write to a reset connection fails in the same turn, before the socket counts as destroyed: pouring on would never let the turn end.
      const pour = (error?: Error | null): void => void (error || socket.destroyed || socket.write(Buffer.alloc(65_536, "x"), pour));
    });
    const outcome = await coreOf(stub.url).call({ path: "/x", timeout: "30s" });
    expect(outcome.response).toMatchObject({ bytes: 4_194_304, truncated: true });
    await vi.waitFor(() => expect(stub.openConnections).toBe(0), 30_000);
  });

  it("cuts between characters", async () => {
    expect((await bodyOf("aé€💥z", {}, { maxBodyBytes: 8 })).response).toMatchObject({ body: "aé€", truncated: true });
  });

  it.each([
    ["control characters", "\u0001"],
    ["quotes", '"'],
    ["line separators", "\u2028"],
  ])("R110 a body of %s is cut so that the answer fits into a line", async (_name, character) => {
    const outcome = await bodyOf(character.repeat(Math.floor(4_194_304 / Buffer.byteLength(character))));
    const text = JSON.stringify(outcome.response?.body).replaceAll("\u2028", "\\u2028");
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(gatewayLimits.maxBodyJsonBytes + 2);
    expect(outcome.ok).toBe(true);
    expect(outcome.response?.truncated ?? false).toBe(outcome.response!.bytes < 4_194_302);
  });
});

describe.each(kinds)("compression, with $kind", ({ bodyOf }) => {
  const text = JSON.stringify({ text: "täxt ".repeat(2_000) });
  it.each([
    ["gzip", zlib.gzipSync(text)],
    ["deflate", zlib.deflateSync(text)],
    ["deflate", zlib.deflateRawSync(text)],
    ["br", zlib.brotliCompressSync(text)],
    ["x-gzip", zlib.gzipSync(text)],
    ["gzip, br", zlib.brotliCompressSync(zlib.gzipSync(text))],
    ["zstd", zlib.zstdCompressSync(text)],
  ])("%s is undone", async (coding, bytes) => {
    const outcome = await bodyOf(bytes, { "content-encoding": coding });
    expect(outcome.response).toEqual({ status: 200, body: text, bytes: Buffer.byteLength(text) });
  });

  it("a bomb is decoded up to the limit, in bounded memory", async () => {
    bomb ??= zlib.gzipSync(Buffer.alloc(160 * 1024 * 1024));
    const before = process.memoryUsage().rss;
    const outcome = await bodyOf(bomb, { "content-encoding": "gzip" }, { maxBodyBytes: 100_000 });
    expect(outcome.response).toMatchObject({ bytes: 100_000, truncated: true });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  it("more codings than two, and a broken body, are errors", async () => {
    expect(await bodyOf("x", { "content-encoding": "gzip, gzip, gzip" })).toMatchObject({
      ok: false,
      code: 7,
      errorInfo: { kind: "too_large" },
    });
    const broken = await bodyOf("this is not gzip", { "content-encoding": "gzip" });
    expect(broken).toMatchObject({ ok: false, code: 7, errorInfo: { kind: "network" } });
    expect(broken.error).toContain("broken gzip body");
  });

  it("an unknown coding is left as it is", async () => {
    expect((await bodyOf("as it is", { "content-encoding": "rot13" })).response?.body).toBe("as it is");
  });
});

describe.each(kinds)("text, with $kind", ({ coreOf, bodyOf }) => {
  it.each([
    ["latin1", "text/plain; charset=iso-8859-1", Buffer.from("größe", "latin1"), "größe"],
    ["utf-16", 'text/plain; charset="utf-16le"', Buffer.from("größe", "utf16le"), "größe"],
    ["an unknown charset that is utf-8", "text/plain; charset=x-none", Buffer.from("größe"), "größe"],
    ["a byte order mark", "text/plain", Buffer.from("\uFEFFa"), "\uFEFFa"],
  ])("%s is decoded", async (_name, contentType, bytes, text) => {
    expect((await bodyOf(bytes, { "content-type": contentType })).response).toEqual({ status: 200, body: text, bytes: bytes.length });
  });

  it("bytes that are not text become base64 and say so", async () => {
    const bytes = Buffer.from([0x89, 0x50, 0xff, 0xfe, 0x00]);
    expect((await bodyOf(bytes)).response).toEqual({ status: 200, body: bytes.toString("base64"), bodyEncoding: "base64", bytes: 5 });
  });

  it("no body, and headers as lists where asked for", async () => {
    const stub = await stubOf((_request, response) => void response.writeHead(204, { "x-a": ["1", "2"] }).end());
    const outcome = await coreOf(stub.url, { includeHeaders: true }).call({ path: "/x" });
    expect(outcome.response).toMatchObject({ status: 204, body: "", bytes: 0, headers: { "X-A": ["1", "2"] } });
  });
});

describe.each(kinds)("streamed bodies, with $kind", ({ coreOf }) => {
  it("come in order at the pace of who takes them, and are not kept", async () => {
    const content = Buffer.alloc(3_000_000, "0123456789");
    const stub = await stubOf((_request, response) => answer(response, 200, content));
    const chunks: Buffer[] = [];
    let atOnce = 0;
    const outcome = await coreOf(stub.url).call(
      { path: "/x", timeout: "30s" },
      {
        async onBody(chunk) {
          expect(++atOnce).toBe(1);
          await new Promise((resolve) => setImmediate(resolve));
          chunks.push(chunk);
          atOnce--;
        },
      },
    );
    expect(outcome.response).toEqual({ status: 200, body: "", bytes: content.length });
    expect(Buffer.concat(chunks).equals(content)).toBe(true);
  });

  it("leave turns for others when whoever takes them is ready before the turn ends", async () => {
    const content = Buffer.alloc(6_000_000, "0123456789");
    const stub = await stubOf((_request, response) => answer(response, 200, content));
    const onBody = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
    const outcome = await coreOf(stub.url).call({ path: "/x", timeout: "30s" }, { onBody });
    expect(outcome.response).toMatchObject({ status: 200, bytes: content.length });
  });

  it("may take longer to be taken than the call has", async () => {
    const stub = await stubOf((_request, response) => answer(response, 200, "x".repeat(1_000)));
    const outcomes: boolean[] = [];
    // With more time the next time: a busy machine may need all of it to connect.
    for (let timeoutMs = 200; timeoutMs <= 5_000 && !outcomes.includes(true); timeoutMs *= 5) {
      const onBody = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, timeoutMs + 100));
      const { ok } = await coreOf(stub.url).call({ path: "/x", timeout: `${timeoutMs}ms` }, { onBody });
      outcomes.push(ok);
    }
    expect(outcomes).toContain(true);
  });

  it("of a failed call are kept, not streamed", async () => {
    const stub = await stubOf((_request, response) => answer(response, 404, "why"));
    const onBody = (): Promise<void> => Promise.reject(new Error("not for this"));
    expect(await coreOf(stub.url).call({ path: "/x" }, { onBody })).toMatchObject({ code: 7, status: 404, response: { body: "why" } });
  });

  it("whose taker fails end the call", async () => {
    const stub = await stubOf((_request, response) => answer(response, 200, "x".repeat(100_000)));
    const onBody = (): Promise<void> => Promise.reject(new Error("disk full"));
    expect(await coreOf(stub.url).call({ path: "/x" }, { onBody })).toMatchObject({ ok: false, code: 7, error: "disk full" });
  });
});
