// Reloads of a call core that fail, or that overtake each other: what counts afterwards.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answer } from "../../../test/kit/api-stub.ts";
import { coreOf as pooledCoreOf, freshHome, stubOf } from "./core-fixture.ts";

function writeConfig(home: string, content: unknown): void {
  mkdirSync(join(home, ".config", "igw"), { recursive: true });
  writeFileSync(join(home, ".config", "igw", "config.json"), typeof content === "string" ? content : JSON.stringify(content));
}

describe("a reload that comes to nothing, or too late", () => {
  const documentWith = (operationId: string): string =>
    JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, paths: { [`/${operationId}`]: { get: { operationId } } } });

  it("R94 leaves the configuration and the operations of before, where the new document is broken", async () => {
    const stub = await stubOf();
    const other = await stubOf();
    const home = freshHome();
    const specFile = join(home, "spec.json");
    writeConfig(home, { gatewayURL: stub.url, token: "t" });
    writeFileSync(specFile, documentWith("first"));
    const core = pooledCoreOf(undefined, { apiKey: undefined, specFile, env: { HOME: home } });
    expect(await core.call({ op: "first" })).toMatchObject({ ok: true });
    writeConfig(home, { gatewayURL: other.url, token: "t" });
    writeFileSync(specFile, "{ broken");
    await expect(core.reload()).rejects.toThrow("spec.json");
    expect(await core.call({ op: "first" })).toMatchObject({ ok: true, request: { url: `${stub.url}/first` } });
    expect(other.requests).toEqual([]);
  });

  it("R94 of two at once the one that was asked for last counts, also where the other one ends after it", async () => {
    let asked = 0;
    const late = Promise.withResolvers<void>();
    const wasAsked = Promise.withResolvers<void>();
    const stub = await stubOf(async (request, response) => {
      if (request.target === "/openapi" && ++asked === 2) {
        wasAsked.resolve();
        await late.promise;
      }
      answer(response, 200, request.target === "/openapi" ? documentWith("first") : "body");
    });
    const home = freshHome();
    const write = (secret: string): void => writeConfig(home, { gatewayURL: stub.url, token: secret });
    write("first-token");
    const core = pooledCoreOf(undefined, { apiKey: undefined, env: { HOME: home } });
    expect(await core.call({ op: "first" })).toMatchObject({ ok: true });
    write("second-token");
    const slow = core.reload();
    await wasAsked.promise;
    write("third-token");
    await core.reload();
    late.resolve();
    await slow;
    await core.call({ path: "/x" });
    expect(stub.requests.at(-1)?.headers["x-ignition-api-token"]).toBe("third-token");
  });
});
