// Finding operations by id, and the listings.

import { describe, expect, it } from "vitest";
import { filterByPath, filterByPathPart, searchOperations, statsOf, tagsOf } from "../../src/openapi/search.ts";
import { documentOf, indexOf } from "./documents.ts";

const paths = {
  "/logs": {
    get: { operationId: "listLogs", summary: " Lists the logs ", tags: ["logs"] },
    delete: { operationId: "clearLogs", tags: ["logs", "admin"] },
  },
  "/Tags/{id}": { get: { operationId: "getTag", tags: ["tags"] }, put: { operationId: "GETTAG" } },
  "/info": { get: { summary: "About the gateway and its logs" } },
  "/same": { get: { operationId: "twice" }, put: { operationId: "twice" } },
};

const idsOf = (operations: readonly { operationId?: string | undefined; method: string; path: string }[]) =>
  operations.map((operation) => operation.operationId ?? `${operation.method} ${operation.path}`);

describe("find", () => {
  it.each([
    ["listLogs", "listLogs"],
    [" LISTLOGS ", "listLogs"],
    ["getTag", "getTag"],
    ["GETTAG", "GETTAG"],
  ])("%j finds %j", async (given, operationId) => {
    expect((await indexOf(documentOf(paths))).find(given).operationId).toBe(operationId);
  });

  it.each([
    ["gettag", /"gettag" is ambiguous: getTag \(GET \/Tags\/\{id\}\), GETTAG \(PUT/],
    ["twice", /"twice" is ambiguous/],
    ["listLog", /^operationId "listLog" not found; did you mean listLogs\?$/],
    ["zzzzzz", /^operationId "zzzzzz" not found$/],
    ["", /^operationId "" not found$/],
    ["__proto__", /not found$/],
  ])("%j is refused", async (given, message) => {
    const index = await indexOf(documentOf(paths));
    expect(() => index.find(given)).toThrow(expect.objectContaining({ code: "usage", message: expect.stringMatching(message) }));
  });
});

describe("listings", () => {
  it("are in the order of paths and methods, with what a line needs", async () => {
    const { operations } = await indexOf(documentOf(paths));
    expect(idsOf(operations)).toEqual(["getTag", "GETTAG", "GET /info", "clearLogs", "listLogs", "twice", "twice"]);
    expect(operations[4]).toEqual({ method: "GET", path: "/logs", operationId: "listLogs", summary: "Lists the logs", tags: ["logs"] });
  });

  it("search every word in every member, names first", async () => {
    const index = await indexOf(documentOf(paths));
    expect(idsOf(searchOperations(index, "LOGS"))).toEqual(["clearLogs", "listLogs", "GET /info"]);
    expect(idsOf(searchOperations(index, "logs admin"))).toEqual(["clearLogs"]);
    expect(searchOperations(index, "nothing")).toEqual([]);
    expect(searchOperations(index, " ")).toHaveLength(7);
  });

  it("filter by path, and count", async () => {
    const index = await indexOf(documentOf(paths));
    expect(idsOf(filterByPath(index, " /logs "))).toEqual(["clearLogs", "listLogs"]);
    expect(idsOf(filterByPathPart(index, "tags/"))).toEqual(["getTag", "GETTAG"]);
    expect(tagsOf(index)).toEqual(["admin", "logs", "tags"]);
    expect(statsOf(index)).toEqual({
      total: 7,
      methods: [
        { name: "GET", count: 4 },
        { name: "PUT", count: 2 },
        { name: "DELETE", count: 1 },
      ],
      tags: [
        { name: "logs", count: 2 },
        { name: "admin", count: 1 },
        { name: "tags", count: 1 },
      ],
      pathPrefixes: [
        { name: "/Tags", count: 2 },
        { name: "/logs", count: 2 },
        { name: "/same", count: 2 },
        { name: "/info", count: 1 },
      ],
    });
  });
});
