// The table of style examples in the OpenAPI specification, and what it leaves open.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ParameterPlace, ParameterStyle } from "../../src/openapi/operation.ts";
import { toCookieParts, toHeaderText, toPathText, toQueryParts } from "../../src/request/parameter-styles.ts";
import { parameter } from "./targets.ts";

const empty = "";
const text = "blue";
const list = ["blue", "black", "brown"];
const object = { R: 100, G: 200, B: 150 };

type Row = [ParameterPlace, ParameterStyle, boolean, unknown, string];

const specified: Row[] = [
  ["path", "matrix", false, empty, ";color"],
  ["path", "matrix", false, text, ";color=blue"],
  ["path", "matrix", false, list, ";color=blue,black,brown"],
  ["path", "matrix", false, object, ";color=R,100,G,200,B,150"],
  ["path", "matrix", true, empty, ";color"],
  ["path", "matrix", true, text, ";color=blue"],
  ["path", "matrix", true, list, ";color=blue;color=black;color=brown"],
  ["path", "matrix", true, object, ";R=100;G=200;B=150"],
  ["path", "label", false, empty, "."],
  ["path", "label", false, text, ".blue"],
  ["path", "label", false, list, ".blue,black,brown"],
  ["path", "label", false, object, ".R,100,G,200,B,150"],
  ["path", "label", true, text, ".blue"],
  ["path", "label", true, list, ".blue.black.brown"],
  ["path", "label", true, object, ".R=100.G=200.B=150"],
  ["path", "simple", false, text, "blue"],
  ["path", "simple", false, list, "blue,black,brown"],
  ["path", "simple", false, object, "R,100,G,200,B,150"],
  ["path", "simple", true, text, "blue"],
  ["path", "simple", true, list, "blue,black,brown"],
  ["path", "simple", true, object, "R=100,G=200,B=150"],
  ["header", "simple", false, empty, ""],
  ["header", "simple", false, list, "blue,black,brown"],
  ["header", "simple", false, object, "R,100,G,200,B,150"],
  ["header", "simple", true, object, "R=100,G=200,B=150"],
  ["query", "form", false, empty, "color="],
  ["query", "form", false, text, "color=blue"],
  ["query", "form", false, list, "color=blue,black,brown"],
  ["query", "form", false, object, "color=R,100,G,200,B,150"],
  ["query", "form", true, empty, "color="],
  ["query", "form", true, text, "color=blue"],
  ["query", "form", true, list, "color=blue&color=black&color=brown"],
  ["query", "form", true, object, "R=100&G=200&B=150"],
  ["query", "spaceDelimited", false, list, "color=blue%20black%20brown"],
  ["query", "spaceDelimited", false, object, "color=R%20100%20G%20200%20B%20150"],
  ["query", "pipeDelimited", false, list, "color=blue%7Cblack%7Cbrown"],
  ["query", "pipeDelimited", false, object, "color=R%7C100%7CG%7C200%7CB%7C150"],
  ["query", "deepObject", true, object, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
  ["cookie", "form", false, text, "color=blue"],
  ["cookie", "form", false, list, "color=blue,black,brown"],
  ["cookie", "form", true, list, "color=blue; color=black; color=brown"],
  ["cookie", "form", true, object, "R=100; G=200; B=150"],
];

const leftOpen: Row[] = [
  ["query", "form", true, true, "color=true"],
  ["query", "form", true, -1.5, "color=-1.5"],
  ["query", "form", true, [], ""],
  ["query", "form", false, [], ""],
  ["query", "form", true, ["a", null, "b"], "color=a&color=b"],
  ["query", "form", true, { a: null, b: 1 }, "b=1"],
  ["query", "form", true, "a&b=c d/é", "color=a%26b%3Dc%20d%2F%C3%A9"],
  ["query", "form", true, [{ a: 1 }], "color=%7B%22a%22%3A1%7D"],
  ["query", "deepObject", true, { a: { b: 1 }, c: [1, 2] }, "color%5Ba%5D%5Bb%5D=1&color%5Bc%5D=1&color%5Bc%5D=2"],
  ["path", "simple", false, ["a,b", "c"], "a%2Cb,c"],
  ["path", "simple", false, "a/b", "a%2Fb"],
  ["cookie", "form", true, "a;b", "color=a%3Bb"],
];

function written(...[place, style, explode, value]: [ParameterPlace, ParameterStyle, boolean, unknown, string?]): string {
  const described = parameter("color", place, { style, explode });
  if (place === "path") return toPathText(described, value);
  if (place === "query") return toQueryParts(described, value).join("&");
  return place === "header" ? toHeaderText(described, value) : toCookieParts(described, value).join("; ");
}

describe("style examples of the specification", () => {
  it.each(specified)("%s %s explode=%s %j is %j", (...row) => {
    expect(written(...row)).toBe(row[4]);
  });

  it.each(leftOpen)("beyond the table: %s %s explode=%s %j is %j", (...row) => {
    expect(written(...row)).toBe(row[4]);
  });
});

describe("styles beside the table", () => {
  it("writes reserved characters as they are where the document allows it, but none that ends the value", () => {
    const described = parameter("q", "query", { allowReserved: true });
    expect(toQueryParts(described, "a/b:c?d@e!$'()*,;#[]&=+%")).toEqual(["q=a/b:c?d@e!$'()*,;%23%5B%5D%26%3D%2B%25"]);
  });

  it("writes a content parameter as one JSON text", () => {
    const json = { contentType: "application/json" };
    expect(toQueryParts(parameter("q", "query", json), { a: [1] })).toEqual(["q=%7B%22a%22%3A%5B1%5D%7D"]);
    expect(toHeaderText(parameter("q", "header", json), { a: "é" })).toBe('{"a":"\\u00e9"}');
    expect(toPathText(parameter("q", "path", json), "x")).toBe("%22x%22");
    expect(toCookieParts(parameter("q", "cookie", json), [1])).toEqual(["q=%5B1%5D"]);
    expect(toQueryParts(parameter("q", "query", { contentType: "text/plain" }), "x")).toEqual(["q=x"]);
  });

  it("refuses an empty path value, which would change the path", () => {
    expect(() => written("path", "simple", false, "")).toThrow("path parameter color is empty");
    expect(() => written("path", "simple", false, [])).toThrow("path parameter color is empty");
  });

  it("refuses a primitive where an object is written member by member", () => {
    expect(() => written("query", "deepObject", true, "x")).toThrow("parameter color takes an object");
  });

  it("is read back by every URL parser as it was given", () => {
    const values = fc.array(
      fc.string({ unit: "grapheme" }).filter((one) => !/[\r\n\0]/.test(one)),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(values, fc.boolean(), (items, allowReserved) => {
        const parts = toQueryParts(parameter("né w", "query", { allowReserved }), items);
        expect(new URLSearchParams(parts.join("&")).getAll("né w")).toEqual(items);
      }),
    );
    fc.assert(
      fc.property(values, (items) => {
        const [part] = toQueryParts(parameter("q", "query", { explode: false }), items);
        expect(part?.slice(2).split(",").map(decodeURIComponent)).toEqual(items);
      }),
    );
  });
});
