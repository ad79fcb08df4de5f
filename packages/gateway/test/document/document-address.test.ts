// An API document with an address of its own, named by an option or a profile: where it is asked for, with which
// token, and what is kept of it.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadApiIndex, loadCachedIndex } from "../../src/internal.ts";
import { answer, closedPort } from "../../../../test/kit/api-stub.ts";
import { canary, coreOf, freshHome, stubOf } from "../core-fixture.ts";

const documentWith = (operationId: string): string =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: operationId, version: "1" },
    paths: { [`/${operationId}`]: { get: { operationId } } },
  });
const tokensOf = (stub: { readonly requests: readonly { readonly headers: NodeJS.Dict<string | string[]> }[] }) =>
  stub.requests.map(({ headers }) => headers["x-ignition-api-token"]);

describe("a document by address", () => {
  it("is asked for with the token at the gateway's own origin, and without it anywhere else", async () => {
    const gateway = await stubOf((request, response) =>
      answer(response, 200, request.target === "/docs/api.json" ? documentWith("own") : "body"),
    );
    const elsewhere = await stubOf((_request, response) => answer(response, 200, documentWith("other")));
    expect(await coreOf(gateway.url, { specFile: `${gateway.url}/docs/api.json` }).call({ op: "own" })).toMatchObject({ ok: true });
    expect(gateway.requests.map(({ target }) => target)).toEqual(["/docs/api.json", "/own"]);
    expect(tokensOf(gateway)).toEqual([canary, canary]);
    expect(await coreOf(gateway.url, { specFile: `${elsewhere.url}/api.json?v=1` }).call({ op: "other" })).toMatchObject({ ok: true });
    expect(elsewhere.requests.map(({ target }) => target)).toEqual(["/api.json?v=1"]);
    expect(tokensOf(elsewhere)).toEqual([undefined]);
  });

  it("is kept for later, one per address, and fetched again by a reload", async () => {
    let served = documentWith("first");
    const stub = await stubOf((request, response) => answer(response, 200, request.target === "/api.json" ? served : "body"));
    const env = { HOME: freshHome() };
    const specFile = `${stub.url}/api.json`;
    const core = coreOf(stub.url, { specFile, env });
    expect(await core.call({ op: "first" })).toMatchObject({ ok: true });
    served = documentWith("second");
    expect((await loadApiIndex({ specFile, env, cwd: env.HOME })).title).toBe("first");
    expect((await loadCachedIndex({ specFile, env, cwd: env.HOME }))?.title).toBe("first");
    await core.reload();
    expect(await core.call({ op: "second" })).toMatchObject({ ok: true });
    expect((await loadCachedIndex({ specFile, env, cwd: env.HOME }))?.title).toBe("second");
    expect(stub.requests.filter(({ target }) => target === "/api.json").length).toBe(2);
  });

  it("needs no gateway to be looked at; one that can't be had is said", async () => {
    const stub = await stubOf((request, response) =>
      request.target === "/api.json" ? answer(response, 200, documentWith("alone")) : answer(response, 404, "none"),
    );
    const env = { HOME: freshHome() };
    const load = (specFile: string) => loadApiIndex({ specFile, env, cwd: env.HOME });
    expect((await load(`${stub.url}/api.json`)).title).toBe("alone");
    await expect(load(`${stub.url}/missing.json`)).rejects.toThrow(/missing\.json; the last answer: http 404/);
    await expect(load(`http://127.0.0.1:${closedPort}/api.json`)).rejects.toThrow("connection refused");
    await expect(load("http://user:secret@127.0.0.1/api.json")).rejects.toThrow("must not contain a user name or password");
  });

  it("of a profile counts before openapi.json here, and a file is found from the configuration's folder", async () => {
    const home = freshHome();
    const env = { HAWSER_GATEWAY_CONFIG: join(home, "plant", "gateway.json"), HOME: home };
    mkdirSync(join(home, "plant"));
    writeFileSync(join(home, "openapi.json"), documentWith("here"));
    writeFileSync(join(home, "plant", "spec.json"), documentWith("plants"));
    const save = (values: object): void => writeFileSync(env.HAWSER_GATEWAY_CONFIG, JSON.stringify(values));
    const titleOf = async (profile?: string) => (await loadApiIndex({ env, cwd: home, profile })).title;
    save({ specFile: "spec.json", profiles: { bare: {}, own: { specFile: join(home, "plant", "spec.json") } } });
    expect(await titleOf()).toBe("plants");
    // A profile stands alone.
    expect(await titleOf("bare")).toBe("here");
    expect(await titleOf("own")).toBe("plants");
  });
});
