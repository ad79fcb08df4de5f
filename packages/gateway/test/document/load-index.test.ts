// Where a document is looked for, and the copy of the one that a gateway serves.

import { mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HawserError } from "@hawser/protocol";
import { gatewayLimits } from "../../src/limits.ts";
import { describe, expect, it } from "vitest";
import { documentPaths, type GatewaySource, syncDocument } from "../../src/document/fetch-document.ts";
import { loadIndex } from "../../src/document/load-index.ts";
import { documentOf, freshHome } from "../openapi/documents.ts";

const titled = (title: string) =>
  documentOf({ "/a": { get: { operationId: "a" } } }, {}, { info: { title }, servers: [{ url: "http://evil.test" }] });
const refusal = (message: string | RegExp) => expect.objectContaining({ code: "usage", message: expect.stringMatching(message) });

/** A gateway that serves these texts and nothing else, and remembers what it was asked for. */
function gatewayWith(texts: Record<string, string>, baseUrl = "http://127.0.0.1:8088/base") {
  const asked: string[] = [];
  const served = { ...texts };
  const source: GatewaySource = {
    baseUrl: new URL(baseUrl),
    fetchText: (path) => {
      asked.push(path);
      const text = served[path];
      return text === undefined ? Promise.reject(new HawserError("usage", "http 404")) : Promise.resolve(text);
    },
  };
  return { asked, served, source };
}

describe("files", () => {
  it("the named one, the current folder, then beside the configuration", async () => {
    const { home, env, write } = await freshHome();
    const options = { cwd: home, env };
    await mkdir(join(home, "config", "igw"), { recursive: true });
    await write(join("config", "igw", "openapi.json"), titled("beside"));
    expect((await loadIndex(options)).title).toBe("beside");
    await write("openapi.json", titled("current"));
    expect((await loadIndex(options)).title).toBe("current");
    await write("named.yaml", 'openapi: "3.1.0"\ninfo: {title: named}\npaths: {}\n');
    expect((await loadIndex({ ...options, specFile: "named.yaml" })).title).toBe("named");
    expect((await loadIndex({ ...options, specFile: join(home, "named.yaml") })).title).toBe("named");
  });

  it("a named one that is missing or broken is a usage error, whatever else there is", async () => {
    const { home, env, write } = await freshHome();
    await write("openapi.json", titled("current"));
    await write("broken.json", "{}");
    await write("binary.json", "");
    await writeFile(join(home, "binary.json"), Buffer.from([0x7b, 0xff, 0x7d]));
    const { source } = gatewayWith({ "/openapi": titled("fetched") });
    const load = (specFile: string) => loadIndex({ cwd: home, env, specFile, gateway: source });
    await expect(load("missing.json")).rejects.toThrow(refusal("missing.json not found"));
    await expect(load("broken.json")).rejects.toThrow(refusal("broken.json is not an OpenAPI document"));
    await expect(load("binary.json")).rejects.toThrow(refusal("not UTF-8"));
    await expect(load(".")).rejects.toThrow(refusal("can't be read: EISDIR"));
  });

  it("none at all is a usage error that says where it looked", async () => {
    const { home, env } = await freshHome();
    await expect(loadIndex({ cwd: home, env })).rejects.toThrow(refusal(`${join(home, "openapi.json")}.*igw.openapi.json`));
  });
});

describe("the gateway's own document", () => {
  it("is asked for at the usual paths and kept for its owner", async () => {
    const { home, env } = await freshHome();
    const { asked, source } = gatewayWith({ "/openapi": "<html>an app</html>", "/data/openapi.json": titled("fetched") });
    const options = { cwd: home, env, gateway: source };
    expect((await loadIndex(options)).title).toBe("fetched");
    expect(asked).toEqual(["/openapi", "/openapi.json", "/data/openapi", "/data/openapi.json"]);
    const index = await loadIndex(options);
    expect(asked).toHaveLength(4);
    expect((await index.describe(index.find("a"))).path).toBe("/a");
    const cache = join(home, "cache", "hawser", "openapi");
    const copies = (await readdir(cache)).filter((name) => name.endsWith(".document"));
    expect(copies).toHaveLength(1);
    expect((await stat(join(cache, copies[0]!))).mode & 0o777).toBe(0o600);
  });

  it("is kept per gateway", async () => {
    const { home, env } = await freshHome();
    const here = gatewayWith({ "/openapi": titled("here") }, "http://127.0.0.1:1");
    const there = gatewayWith({ "/openapi": titled("there") }, "http://127.0.0.1:2");
    for (const [source, title] of [
      [here.source, "here"],
      [there.source, "there"],
      [here.source, "here"],
    ] as const) {
      expect((await loadIndex({ cwd: home, env, gateway: source })).title).toBe(title);
    }
    expect([here.asked, there.asked]).toEqual([["/openapi"], ["/openapi"]]);
  });

  it("is asked for again after a day, and the old copy serves while the gateway doesn't", async () => {
    const { home, env } = await freshHome();
    const { served, source } = gatewayWith({ "/openapi": titled("old") });
    const options = { cwd: home, env, gateway: source };
    const { file } = await syncDocument(source, env);
    const age = async () => utimes(file!, new Date(), new Date(Date.now() - gatewayLimits.documentMaxAgeMs - 1_000));
    served["/openapi"] = titled("new");
    expect((await loadIndex(options)).title).toBe("old");
    await age();
    expect((await loadIndex(options)).title).toBe("new");
    delete served["/openapi"];
    await age();
    expect((await loadIndex(options)).title).toBe("new");
  });

  it("sync asks whether or not there is a copy, and says what changed", async () => {
    const { env } = await freshHome();
    const { served, source } = gatewayWith({ "/openapi.json": titled("one") });
    const first = await syncDocument(source, env);
    expect(first).toMatchObject({ path: "/openapi.json", bytes: titled("one").length, operationCount: 1, changed: true });
    expect(await readFile(first.file!, "utf8")).toBe(titled("one"));
    expect((await syncDocument(source, env)).changed).toBe(false);
    served["/openapi.json"] = titled("two");
    expect((await syncDocument(source, env)).changed).toBe(true);
  });

  it("works without a cache folder", async () => {
    const { home, env, write } = await freshHome();
    await write("cache", "in the way");
    const { source } = gatewayWith({ "/openapi": titled("fetched") });
    const index = await loadIndex({ cwd: home, env, gateway: source });
    expect((await index.describe(index.find("a"))).operationId).toBe("a");
    expect((await syncDocument(source, env)).file).toBeUndefined();
  });

  it("that is nowhere is a usage error with the paths; a gateway that can't be reached is asked once", async () => {
    const { home, env } = await freshHome();
    const { asked, source } = gatewayWith({});
    await expect(loadIndex({ cwd: home, env, gateway: source })).rejects.toThrow(
      refusal("no OpenAPI document at http://127.0.0.1:8088 .*/system/openapi.json.*http 404"),
    );
    expect(asked).toEqual(documentPaths);
    let tries = 0;
    const gone: GatewaySource = {
      baseUrl: source.baseUrl,
      fetchText: () => {
        tries += 1;
        return Promise.reject(new HawserError("connection_failed", "refused"));
      },
    };
    await expect(loadIndex({ cwd: home, env, gateway: gone })).rejects.toThrow(expect.objectContaining({ code: "connection_failed" }));
    expect(tries).toBe(1);
  });
});
