// What the cache has of a document: known without a look at the document, and without anybody being asked.

import { execFileSync } from "node:child_process";
import { chmod, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadApiIndex, loadCachedIndex } from "../../src/internal.ts";
import { answer } from "../../../../test/kit/api-stub.ts";
import { stubOf } from "../core-fixture.ts";
import { documentOf, freshHome } from "../openapi/documents.ts";

const documentWith = (operationId: string): string => documentOf({ "/a": { get: { operationId } } });
const idsOf = async (options: Parameters<typeof loadCachedIndex>[0]) =>
  (await loadCachedIndex(options))?.operations.map(({ operationId }) => operationId);

describe("the cached index", () => {
  it("of a file is there once it was loaded, also when the file has changed since, and not when it is gone", async () => {
    const { home, env, write } = await freshHome();
    const options = { specFile: await write("api.json", documentWith("first")), cwd: home, env };
    expect(await idsOf(options)).toBeUndefined();
    await loadApiIndex(options);
    await write("api.json", "{ no document");
    expect(await idsOf(options)).toEqual(["first"]);
    const index = await loadCachedIndex(options);
    expect(await index?.describe(index.find("FIRST"))).toMatchObject({ operationId: "first", parameters: [] });
    await rm(options.specFile);
    expect(await idsOf(options)).toBeUndefined();
  });

  it("is looked for as the document is: the current folder's goes before the gateway's, and a named one before both", async () => {
    const { home, env, write } = await freshHome();
    const stub = await stubOf((_request, response) => answer(response, 200, documentWith("fetched")));
    const options = { gatewayUrl: stub.url, cwd: home, env };
    await loadApiIndex(options);
    const asked = stub.requests.length;
    expect(await idsOf(options)).toEqual(["fetched"]);
    const named = await write("named.json", documentWith("named"));
    expect(await idsOf({ ...options, specFile: named })).toBeUndefined();
    await write("openapi.json", documentWith("current"));
    expect(await idsOf(options)).toBeUndefined();
    await loadApiIndex(options);
    expect(await idsOf(options)).toEqual(["current"]);
    expect(stub.requests).toHaveLength(asked);
  });

  it("never opens the document, so a pipe without a writer holds nobody up", async (context) => {
    if (process.platform === "win32") context.skip("needs a named pipe");
    const { home, env } = await freshHome();
    const specFile = join(home, "pipe.json");
    execFileSync("mkfifo", [specFile]);
    expect(await idsOf({ specFile, cwd: home, env })).toBeUndefined();
  });

  it("SEC-05: is not taken from a file that others may write, nor read on after it became another one", async () => {
    const { home, env, write } = await freshHome();
    const options = { specFile: await write("api.json", documentWith("first")), cwd: home, env };
    await loadApiIndex(options);
    const index = await loadCachedIndex(options);
    const folder = join(env["XDG_CACHE_HOME"]!, "hawser", "openapi");
    const [file] = (await readdir(folder)).map((name) => join(folder, name));
    await writeFile(file!, "something else");
    await expect(index!.describe(index!.find("first"))).rejects.toMatchObject({ code: "usage" });
    await rm(file!);
    await loadApiIndex(options);
    expect(await idsOf(options)).toEqual(["first"]);
    await chmod(file!, 0o666);
    expect(await idsOf(options)).toBeUndefined();
  });
});
