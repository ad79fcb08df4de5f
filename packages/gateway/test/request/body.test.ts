// Bodies: strings as they are, values as the content type says.

import { describe, expect, it } from "vitest";
import type { OperationDescription, RequestBodyMedia } from "../../src/openapi/operation.ts";
import { built, operation } from "./targets.ts";

const refusal = (message: string | RegExp) => expect.objectContaining({ code: "usage", message: expect.stringMatching(message) });
const post = { method: "POST", path: "/x", yes: true };

function taking(contentTypes: readonly string[], more: Partial<RequestBodyMedia> = {}): OperationDescription {
  const media = contentTypes.map((contentType) => ({ contentType, schema: {}, ...more }));
  return operation({ method: "POST", requestBody: { required: true, media } });
}

const sent = (body: unknown, contentType: string, described?: OperationDescription) => {
  const request = built({ ...(described ? { op: "things", yes: true } : post), body, contentType }, described);
  return [request.headers, request.body];
};

describe("content type", () => {
  it("is application/json unless given, also for a string", () => {
    expect(built({ ...post, body: "as it is" })).toMatchObject({ headers: [["content-type", "application/json"]], body: "as it is" });
    expect(built({ ...post, body: { a: [1, null, "é"] } }).body).toBe('{"a":[1,null,"é"]}');
    expect(built({ ...post, body: false }).body).toBe("false");
    expect(built({ ...post, body: 0 }).body).toBe("0");
  });

  it.each([undefined, null, ""])("is not sent without a body: %j", (body) => {
    expect(built({ ...post, body, contentType: "text/plain" })).toMatchObject({ headers: [], body: undefined });
  });

  it("may come as a header, but not twice", () => {
    const headers = ["Content-Type: text/plain"];
    expect(built({ ...post, body: "x", headers })).toMatchObject({ headers: [["content-type", "text/plain"]], body: "x" });
    expect(() => built({ ...post, body: "x", headers, contentType: "text/html" })).toThrow(refusal("content type is given twice"));
  });

  it.each([
    [["application/xml"], "<a/>", "application/xml"],
    [["text/plain", "application/json"], { a: 1 }, "application/json"],
    [["text/plain", "application/vnd.api+json"], { a: 1 }, "application/vnd.api+json"],
    [["text/plain", "text/html"], "x", "application/json"],
    [["*/*"], "x", "application/json"],
  ])("follows an operation that takes %j", (types, body, expected) => {
    expect(built({ op: "things", yes: true, body }, taking(types)).headers).toEqual([["content-type", expected]]);
  });

  it("a GET may have a body, as hosts are used to", () => {
    expect(built({ path: "/x", body: "q" }).body).toBe("q");
  });
});

describe("body of an operation", () => {
  it("is params.body or body, one of them, and needed where the document says so", () => {
    const described = taking(["application/json"]);
    expect(built({ op: "things", yes: true, params: { body: { a: 1 } } }, described).body).toBe('{"a":1}');
    expect(built({ op: "things", yes: true, body: { a: 1 } }, described).body).toBe('{"a":1}');
    expect(() => built({ op: "things", yes: true, body: 1, params: { body: 2 } }, described)).toThrow(refusal("given twice"));
    expect(() => built({ op: "things", yes: true }, described)).toThrow(refusal("things needs a body"));
  });
});

describe("forms", () => {
  const type = "application/x-www-form-urlencoded";

  it("repeat arrays, write objects as JSON and leave null out", () => {
    expect(sent({ a: "x y&z", b: [1, 2], c: { d: 1 }, e: null, f: true }, type)).toEqual([
      [["content-type", type]],
      "a=x+y%26z&b=1&b=2&c=%7B%22d%22%3A1%7D&f=true",
    ]);
  });

  it("follow the document's encoding", () => {
    const encoding = {
      deep: { style: "deepObject" },
      joined: { explode: false },
      pipes: { style: "pipeDelimited" },
      json: { contentType: "application/json" },
      spread: { style: "form" },
    } as const;
    const body = { deep: { a: 1 }, joined: ["x", "y"], pipes: ["x", "y"], json: [1, 2], spread: { k: "v" } };
    expect(sent(body, type, taking([type], { encoding }))[1]).toBe("deep%5Ba%5D=1&joined=x%2Cy&pipes=x%7Cy&json=%5B1%2C2%5D&k=v");
  });

  it.each([[[1]], [5]])("refuse %j", (body) => {
    expect(() => sent(body, type)).toThrow(refusal("must be an object or a string"));
  });
});

describe("multipart", () => {
  it("is read back by another implementation as it was given", async () => {
    const bytes = Buffer.from([0, 13, 10, 45, 45, 255]);
    const body = {
      note: "é\r\n--x",
      tags: ["a", "b"],
      meta: { k: 1 },
      file: { filename: 'a"b.bin', contentType: "image/png", base64: bytes.toString("base64") },
      none: null,
    };
    const request = built({ ...post, body, contentType: "multipart/form-data" });
    const form = await new Response(request.body as Buffer<ArrayBuffer>, { headers: request.headers.map(([...pair]) => pair) }).formData();
    expect(form.get("note")).toBe("é\r\n--x");
    expect(form.getAll("tags")).toEqual(["a", "b"]);
    expect([...form.keys()]).toEqual(["note", "tags", "tags", "meta", "file"]);
    const file = form.get("file") as File;
    expect([file.name, file.type, Buffer.from(await file.arrayBuffer())]).toEqual(['a"b.bin', "image/png", bytes]);
    expect(built({ ...post, body, contentType: "multipart/form-data" })).toEqual(request);
  });

  it.each([
    [{ a: { base64: "***" } }, "not base64"],
    [{ a: { base64: "YQ==", filename: "a\r\nX: y" } }, "line break"],
    [{ a: { base64: "YQ==", contentType: "a\r\nX: y" } }, "line break"],
    [{ "a\r\nb": 1 }, "line break"],
  ])("RPC-12: refuses %j", (body, message) => {
    expect(() => built({ ...post, body, contentType: "multipart/form-data" })).toThrow(refusal(message));
  });
});

describe("bytes and other types", () => {
  it("base64 becomes its bytes", () => {
    expect(built({ ...post, body: "AP8=", bodyEncoding: "base64", contentType: "image/png" })).toMatchObject({
      headers: [["content-type", "image/png"]],
      body: Buffer.from([0, 255]),
    });
  });

  it.each(["*", "AAAAA", { a: 1 }])("refuses %j as base64", (body) => {
    expect(() => built({ ...post, body, bodyEncoding: "base64" })).toThrow(refusal("body is not base64 text"));
  });

  it("a value of text is its text, and of other types refused", () => {
    expect(sent(5, "text/plain")[1]).toBe("5");
    expect(() => sent({ a: 1 }, "text/plain")).toThrow(refusal("must be a string"));
    expect(() => sent({ a: 1 }, "application/octet-stream")).toThrow(refusal("must be a string"));
  });
});
