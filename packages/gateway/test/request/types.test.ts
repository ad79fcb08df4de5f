// Parameters and fields of a body against the document's types, before anything is sent.

import { keepNumbers } from "@hawser/wire/internal";
import { describe, expect, it } from "vitest";
import type { Parameter } from "../../src/openapi/operation.ts";
import { built, operation, parameter } from "./targets.ts";

const definitions = {
  Level: { type: "string", enum: ["DEBUG", "INFO"] },
  Loop: { allOf: Array.from({ length: 20 }, () => ({ $ref: "#/$defs/Loop" })) },
};

const taking = (schema: Parameter["schema"], more: Partial<Parameter> = {}) =>
  operation({ parameters: [parameter("p", "query", { schema, ...more })], definitions });
const queryOf = (schema: Parameter["schema"], value: unknown) =>
  new URL(built({ op: "things", params: { p: value } }, taking(schema)).url).search;

describe("a parameter of a wrong type is refused with its name, the type and the value", () => {
  it.each([
    [{ type: "integer" }, "abc", 'parameter p (query) must be of type integer; given: "abc"'],
    [{ type: "integer" }, 1.5, 'parameter p (query) must be of type integer; given: "1.5"'],
    [{ type: "integer" }, true, 'parameter p (query) must be of type integer; given: "true"'],
    [{ type: ["number", "null"] }, "one", 'parameter p (query) must be of type number or null; given: "one"'],
    [{ type: "boolean" }, "yes", 'parameter p (query) must be of type boolean; given: "yes"'],
    [{ type: "string" }, { a: 1 }, 'parameter p (query) must be of type string; given: "{\\"a\\":1}"'],
    [{ type: "array", items: { type: "integer" } }, ["x"], 'parameter p (query) must be of type array of integer; given: "[\\"x\\"]"'],
    [{ $ref: "#/$defs/Level" }, "info", 'parameter p (query) must be one of DEBUG, INFO; given: "info"'],
    [{ allOf: [{ $ref: "#/$defs/Level" }], default: "INFO" }, "WARN", 'parameter p (query) must be one of DEBUG, INFO; given: "WARN"'],
    [
      { anyOf: [{ type: "integer" }, { const: "all" }] },
      "none",
      'parameter p (query) must be of type integer or one of all; given: "none"',
    ],
  ])("%j takes no %j", (schema, value, message) => {
    expect(() => queryOf(schema, value)).toThrow(expect.objectContaining({ code: "usage", message }) as Error);
  });

  it("the hint says how it goes where the document is wrong", () => {
    const refused = (place: Parameter["in"]) => () =>
      built(
        { op: "things", params: { p: "x" } },
        operation({ path: "/t/{p}", parameters: [parameter("p", place, { schema: { type: "integer" } })] }),
      );
    const hint = (text: string) => expect.objectContaining({ facts: expect.objectContaining({ hint: text }) as object }) as Error;
    expect(refused("query")).toThrow(hint("where the document is wrong, give it as query"));
    expect(refused("path")).toThrow(hint("where the document is wrong, call it by path"));
    expect(built({ op: "things", query: ["p=x"] }, taking({ type: "integer" }, { required: true })).url).toMatch(/\?p=x$/);
  });

  it.each([
    [{ type: "integer" }, "007", "?p=007"],
    [{ type: "integer" }, "12345678901234567890", "?p=12345678901234567890"],
    [{ type: "number" }, "1e3", "?p=1e3"],
    [{ type: "string" }, 5, "?p=5"],
    [{ type: "boolean" }, "true", "?p=true"],
    [{ type: "array", items: { type: "integer" } }, "1,2", "?p=1%2C2"],
    [{ type: "array", items: { type: "integer" } }, [1, "2"], "?p=1&p=2"],
    [{ enum: [1, 2] }, "2", "?p=2"],
    [{ anyOf: [{ type: "integer" }, { const: "all" }] }, "all", "?p=all"],
    [{ oneOf: [] }, "x", "?p=x"],
    [{ $ref: "#/$defs/Missing" }, "x", "?p=x"],
    [{ $ref: "#/$defs/Loop" }, "x", "?p=x"],
    [{ type: "money" }, "x", "?p=x"],
  ])("%j takes %j, which is the same text", (schema, value, query) => expect(queryOf(schema, value)).toBe(query));
});

const properties = {
  id: { type: "string" },
  count: { type: ["integer", "null"] },
  level: { $ref: "#/$defs/Level" },
  note: { type: "string" },
  tags: { type: "array", items: { type: "string" } },
};
const object = { type: "object", required: ["note"], properties };

function storing(schema: object, contentType = "application/json") {
  return operation({
    method: "POST",
    operationId: "store",
    path: "/things/{id}",
    parameters: [parameter("id", "path")],
    requestBody: { required: true, media: [{ contentType, schema: schema as Record<string, unknown> }] },
    definitions,
  });
}
const store = (params: Record<string, unknown>, described = storing(object), more: object = {}) =>
  built({ op: "store", params: { id: "7", ...params }, yes: true, ...more }, described);

describe("fields of the body are parameters", () => {
  it("by their names, in the type that the document gives them; body.id where a parameter has the name too", () => {
    const params = { note: 5, count: "12", level: "INFO", tags: ["a"], "body.id": 8 };
    expect(store(params)).toMatchObject({
      url: "http://127.0.0.1:8088/things/7",
      body: '{"note":"5","count":12,"level":"INFO","tags":["a"],"id":"8"}',
      headers: [["content-type", "application/json"]],
    });
    // Null is a value only where the document knows it; members that it does not name are said to be of the body.
    expect(store({ note: "n", count: null, level: null, "body.other": { a: 1 } }).body).toBe('{"note":"n","count":null,"other":{"a":1}}');
  });

  it("G5 with numbers that JavaScript can't hold as they were written, as text and as number", () => {
    const big = "9007199254740993";
    const kept = keepNumbers(JSON.parse(big), big);
    expect(store({ note: kept, count: big }).body).toBe(`{"note":"${big}","count":${big}}`);
    expect(store({ note: "n", count: kept }).body).toBe(`{"note":"n","count":${big}}`);
    expect(queryOf({ type: "integer" }, kept)).toBe(`?p=${big}`);
    expect(() => queryOf({ type: "boolean" }, kept)).toThrow(`must be of type boolean; given: "${big}"`);
  });

  it("also of allOf parts, forms and multipart", () => {
    const whole = { allOf: [{ $ref: "#/$defs/None" }, object, { properties: { more: { type: "integer" } }, required: ["more"] }] };
    expect(store({ note: "n", more: "1" }, storing(whole)).body).toBe('{"note":"n","more":1}');
    expect(store({ note: "a b", tags: ["x", "y"] }, storing(object, "application/x-www-form-urlencoded")).body).toBe(
      "note=a+b&tags=x&tags=y",
    );
    const file = { filename: "a.bin", base64: "AAEC" };
    expect(String(store({ note: file }, storing(object, "multipart/form-data")).body)).toContain('name="note"; filename="a.bin"');
  });

  it.each([
    [{ note: "n", count: "many" }, 'body field count must be of type integer or null; given: "many"'],
    [{ note: "n", level: "info" }, 'body field level must be one of DEBUG, INFO; given: "info"'],
    [{ note: { a: 1 } }, 'body field note must be of type string; given: "{\\"a\\":1}"'],
    [
      { count: 1 },
      /^missing required parameter note \(body\); store takes id \(path, required\), id \(body\), .*note \(body, required\), .*body$/,
    ],
    [{ note: "n", counts: 1 }, /^unknown parameter "counts" \(did you mean count\?\); store takes/],
    [{ note: "n", body: { note: "m" } }, "the body is given twice, whole and by its fields"],
    [{}, /^store needs a body: give body, params.body, or its fields in params; store takes .*note \(body, required\)/],
  ])("%j is refused", (params, message) => {
    const text = message instanceof RegExp ? expect.stringMatching(message) : message;
    expect(() => store(params)).toThrow(expect.objectContaining({ code: "usage", message: text as string }) as Error);
  });

  it("not beside a body that is given whole, nor with a name that a closed body lacks", () => {
    expect(() => store({ note: "n" }, undefined, { body: "{}" })).toThrow("the body is given twice, as body and in params");
    expect(() => store({ "body.x": 1 }, storing({ ...object, additionalProperties: false }))).toThrow('unknown parameter "body.x"');
    expect(() => store({ note: "n" }, storing(object, "application/xml"))).toThrow('unknown parameter "note"');
  });
});
