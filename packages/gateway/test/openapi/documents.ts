// Documents and folders that the tests of the index share.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { buildIndex } from "../../src/openapi/build-index.ts";
import { createOperationIndex, fromMemory } from "../../src/openapi/operation-index.ts";
import type { OperationIndex } from "../../src/openapi/operation.ts";
import { parseDocument } from "../../src/openapi/parse-document.ts";

/** An OpenAPI 3.1 document with these paths and components. */
export function documentOf(paths: unknown, components: unknown = {}, more: object = {}): string {
  return JSON.stringify({ openapi: "3.1.0", info: { title: "Test", version: "1" }, paths, components, ...more });
}

/** The index of a text, without any file. */
export async function indexOf(text: string): Promise<OperationIndex> {
  const built = buildIndex(await parseDocument(text, "test.json"));
  return createOperationIndex(built.head, fromMemory(built));
}

/** A folder of its own, with the environment of a user who lives there. Removed after the test. */
export async function freshHome(): Promise<{
  home: string;
  env: Record<string, string>;
  write(name: string, text: string): Promise<string>;
}> {
  const home = await mkdtemp(join(tmpdir(), "hawser-openapi-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const env = { HOME: home, XDG_CACHE_HOME: join(home, "cache"), XDG_CONFIG_HOME: join(home, "config") };
  const write = async (name: string, text: string) => {
    const path = join(home, name);
    await writeFile(path, text);
    return path;
  };
  return { home, env, write };
}
