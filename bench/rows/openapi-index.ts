// A large real document, the one of GitHub's API with 13 MB and about 1,200 operations: from its file to
// the first operation described. Once with nothing in the cache, and as on every later start.

import fs from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { loadIndex } from "../../packages/gateway/src/document/load-index.ts";
import { timeOf } from "../measure.ts";
import { createTemporaryDirectory } from "../program.ts";
import type { Row } from "../row.ts";

const cold = "first time";
const warm = "from the cache";
const parse = "JSON.parse of the document";
const wanted = "repos/get";

export const openapiIndex: Row = {
  name: "OpenAPI index",
  prepare(context) {
    const specFile = createRequire(import.meta.url).resolve("@octokit/openapi/generated/api.github.com.json");
    const directory = createTemporaryDirectory(context);
    const makeCache = (): string => fs.mkdtempSync(join(directory, "cache-"));
    const warmCache = makeCache();

    async function describeOne(cache: string): Promise<void> {
      const index = await loadIndex({ specFile, env: { XDG_CACHE_HOME: cache } });
      const { parameters } = await index.describe(index.find(wanted));
      if (parameters.length === 0) throw new Error(`${wanted} has no parameters`);
    }

    const parseAll = { name: parse, round: async () => [await timeOf(() => void JSON.parse(fs.readFileSync(specFile, "utf8")))] };
    const shared = { work: "13 MB, first operation described", unit: "ms" } as const;
    return Promise.resolve([
      {
        ...shared,
        name: "OpenAPI index, for the first time",
        ours: cold,
        rounds: (usual: number) => Math.ceil(usual / 5),
        contestants: [{ name: cold, round: async () => [await timeOf(() => describeOne(makeCache()))] }, parseAll],
        targets: [],
      },
      {
        ...shared,
        name: "OpenAPI index, cached",
        ours: warm,
        contestants: [{ name: warm, round: async () => [await timeOf(() => describeOne(warmCache))] }, parseAll],
        targets: [{ peer: parse, atMost: 0.5 }],
      },
    ]);
  },
};
