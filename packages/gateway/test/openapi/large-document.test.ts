// A real document of 13 MB with 1,223 operations, and the validation for people who write documents.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadIndexFile } from "../../src/document/document-file.ts";
import { validateDocument } from "../../src/openapi/parse-document.ts";
import { documentOf, freshHome } from "./documents.ts";

const require = createRequire(import.meta.url);
const path = require.resolve("@octokit/openapi/generated/api.github.com.json");

describe("a large document", () => {
  it("describes every operation the same from the cache, with every reference inside the description", async () => {
    const { env } = await freshHome();
    const built = (await loadIndexFile(path, env))!;
    const cached = (await loadIndexFile(path, env))!;
    expect(built.operations).toHaveLength(1_223);
    expect(cached.operations).toEqual(built.operations);
    const dangling: string[] = [];
    for (const operation of cached.operations) {
      const described = await cached.describe(operation);
      const names = new Set([...JSON.stringify(described).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map((match) => match[1]!));
      if (names.size !== Object.keys(described.definitions).length) dangling.push(operation.operationId ?? operation.path);
      for (const name of names) if (!Object.hasOwn(described.definitions, name)) dangling.push(name);
    }
    expect(dangling).toEqual([]);
  });

  it("does not parse the document again: its second load takes a fraction of the first", async () => {
    const { env } = await freshHome();
    // Processor time, since a clock tells about the other programs of a busy machine too.
    const load = async (): Promise<number> => {
      const before = process.cpuUsage();
      await loadIndexFile(path, env);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const cold = await load();
    const warm: number[] = [];
    for (let round = 0; round < 3; round++) warm.push(await load());
    expect(Math.min(...warm)).toBeLessThan(cold / 4);
    expect(readFileSync(path).length).toBeGreaterThan(12_000_000);
  });
});

describe("validation", () => {
  it("takes a document that follows its specification", async () => {
    const paths = { "/a": { get: { operationId: "a", responses: { 200: { description: "ok" } } } } };
    expect(await validateDocument(documentOf(paths))).toMatchObject({ valid: true, specification: "OpenAPI", errors: [] });
  });

  it("says what is wrong with one that doesn't", async () => {
    const { valid, errors } = await validateDocument(documentOf({ "/a": { get: { responses: { 200: {} } } } }));
    expect({ valid, hasErrors: errors.length > 0 }).toEqual({ valid: false, hasErrors: true });
    expect(await validateDocument("{}")).toMatchObject({ valid: false, errors: [expect.any(String)] });
    await expect(validateDocument("{", "x.json")).rejects.toThrow("x.json is not an OpenAPI document");
  });

  it("SEC-05: does not follow remote references", async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end('{"type":"string"}');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const schema = { $ref: `http://127.0.0.1:${(server.address() as AddressInfo).port}/schema.json` };
    const paths = { "/a": { get: { parameters: [{ name: "q", in: "query", schema }], responses: { 200: { description: "ok" } } } } };
    await validateDocument(documentOf(paths));
    expect(requests).toBe(0);
  });
});
