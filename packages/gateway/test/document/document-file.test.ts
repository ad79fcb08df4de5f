// The cache of indexes: the same answers with it and without it, whatever happens to its files.

import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gatewayLimits } from "../../src/limits.ts";
import { describe, expect, it } from "vitest";
import { type IndexFileHead, readIndexFile, toIndexFile } from "../../src/document/index-cache.ts";
import { loadIndexFile } from "../../src/document/document-file.ts";
import { documentOf, freshHome } from "../openapi/documents.ts";

const one = documentOf(
  { "/a/{id}": { get: { operationId: "a", parameters: [{ name: "id", in: "path", schema: { $ref: "#/components/schemas/S" } }] } } },
  {
    schemas: { S: { type: "string" } },
  },
);
const other = one.replaceAll('"a"', '"b"');

async function homeWith(text: string) {
  const { home, env, write } = await freshHome();
  const path = await write("api.json", text);
  const cache = join(env["XDG_CACHE_HOME"]!, "hawser", "openapi");
  const load = async () => (await loadIndexFile(path, env))!;
  const cacheFile = async () =>
    join(
      cache,
      (await readdir(cache)).find((name) => name.endsWith(".index"))!,
    );
  return { home, env, write, path, cache, load, cacheFile };
}

describe("cache", () => {
  it("holds one private file per document, which the next load uses", async () => {
    const { load, cache, cacheFile } = await homeWith(one);
    const first = await load();
    expect((await stat(cache)).mode & 0o777).toBe(0o700);
    expect((await stat(await cacheFile())).mode & 0o777).toBe(0o600);
    const before = (await stat(await cacheFile())).ino;
    const second = await load();
    expect((await stat(await cacheFile())).ino).toBe(before);
    expect(second.operations).toEqual(first.operations);
    expect(await second.describe(second.find("a"))).toEqual(await first.describe(first.find("a")));
    expect((await second.describe(second.find("a"))).definitions).toEqual({ S: { type: "string" } });
  });

  it("is used without a look at a document that has not changed for a while", async () => {
    const { load, path, cacheFile } = await homeWith(one);
    await load();
    // As if it had been written an hour later. The title tells where the answer came from.
    await rewriteHead(await cacheFile(), (head) => ({ ...head, writtenMs: head.writtenMs + 3_600_000 }));
    expect((await load()).title).toBe("Kept");
    await writeFile(path, other);
    expect((await load()).title).toBe("Test");
  });

  it("is compared with a document that changed a moment before, since it may have changed again within it", async () => {
    const { load, cacheFile } = await homeWith(one);
    await load();
    // However long that took.
    await rewriteHead(await cacheFile(), (head) => ({ ...head, writtenMs: head.stamp.changedMs + 500 }));
    expect((await load()).title).toBe("Test");
  });

  it("is not used for a document of the same size that was written in the same moment", async () => {
    const { load, path } = await homeWith(one);
    const times = await stat(path);
    expect((await load()).find("a").operationId).toBe("a");
    await writeFile(path, other);
    await utimes(path, times.atime, times.mtime);
    expect((await load()).find("b").operationId).toBe("b");
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["empty", () => Buffer.alloc(0)],
    ["cut short", (bytes) => bytes.subarray(0, bytes.length - 10)],
    ["changed in its head", (bytes) => flip(bytes, 100)],
    ["of another format", (bytes) => Buffer.from(bytes.toString("latin1").replace("hawser-openapi-2", "hawser-openapi-1"), "latin1")],
    ["noise", () => Buffer.alloc(5_000, 7)],
  ])("is built again without a word when its file is %s", async (_, damage) => {
    const { load, cacheFile } = await homeWith(one);
    await load();
    const file = await cacheFile();
    const whole = await readFile(file);
    await writeFile(file, damage(whole));
    const index = await load();
    expect((await index.describe(index.find("a"))).parameters).toHaveLength(1);
    expect((await readFile(file)).length).toBe(whole.length);
  });

  it("may be damaged or removed under an index that is in use", async () => {
    const { load, cacheFile } = await homeWith(one);
    const [first, second] = [await load(), await load()];
    const file = await cacheFile();
    const whole = await readFile(file);
    await writeFile(file, flip(whole, whole.length - 5));
    expect((await first.describe(first.find("a"))).definitions).toEqual({ S: { type: "string" } });
    await writeFile(file, "");
    expect((await second.describe(second.find("a"))).definitions).toEqual({ S: { type: "string" } });
  });

  it("never answers for another document than the index was made of", async () => {
    const { load, path } = await homeWith(one);
    const old = await load();
    await writeFile(path, other);
    await load();
    await expect(old.describe(old.find("a"))).rejects.toThrow(
      expect.objectContaining({ code: "usage", message: expect.stringContaining("changed") }),
    );
  });
});

describe("cache folder", () => {
  it("may be impossible: everything works without it", async () => {
    const { load, home, env } = await homeWith(one);
    await writeFile(join(home, "cache"), "a file where the folder should be");
    const index = await load();
    expect((await index.describe(index.find("a"))).definitions).toEqual({ S: { type: "string" } });
    expect(await readFile(env["XDG_CACHE_HOME"]!, "utf8")).toBe("a file where the folder should be");
  });

  it("is not believed when others can write to it", async () => {
    const { load, cache, cacheFile } = await homeWith(one);
    await load();
    const file = await cacheFile();
    const before = await stat(file);
    await chmod(cache, 0o777);
    expect((await load()).operations).toHaveLength(1);
    expect((await stat(file)).ino).not.toBe(before.ino);
    expect((await stat(cache)).mode & 0o777).toBe(0o700);
  });

  it("keeps a bounded number of files and nothing half-written, and leaves what is not its own", async () => {
    const { load, cache } = await homeWith(one);
    await mkdir(cache, { recursive: true });
    const longAgo = new Date(Date.now() - 7_200_000);
    const put = async (name: string) => {
      await writeFile(join(cache, name), "x");
      await utimes(join(cache, name), longAgo, longAgo);
    };
    for (let at = 0; at < gatewayLimits.maxCachedEntries + 5; at++) await put(`${at.toString(16).padStart(32, "0")}.index`);
    await put(`${"f".repeat(32)}.index.123-abc.new`);
    await put("somebody-elses-file");
    await load();
    const names = await readdir(cache);
    expect(names.filter((name) => name.endsWith(".index"))).toHaveLength(gatewayLimits.maxCachedEntries);
    expect(names.filter((name) => !name.endsWith(".index"))).toEqual(["somebody-elses-file"]);
  });
});

/** Gives the index another title and a hash that fits no document, and what `change` changes. */
async function rewriteHead(file: string, change: (head: IndexFileHead) => IndexFileHead): Promise<void> {
  const { head } = (await readIndexFile(file))!;
  const bytes = await readFile(file);
  const headBytes = Number(bytes.toString("latin1", 0, 64).split(" ")[1]);
  const { index, ...source } = change({ ...head, hash: "0" });
  await writeFile(file, toIndexFile({ head: { ...index, title: "Kept" }, body: bytes.subarray(64 + headBytes) }, source));
}

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ 1;
  return copy;
}
