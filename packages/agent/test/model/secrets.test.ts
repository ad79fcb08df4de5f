// SEC-01 for models: a key that every failure throws back at us appears in no error, no event and no list.

import { describe, expect, it } from "vitest";
import { apis, canaryKey, modelAt, readStep, startScriptedModel } from "./model-rig.ts";
import { createModelCatalog } from "../../src/model/catalog.ts";
import { modelError, toModelError } from "../../src/model/model-error.ts";
import type { ScriptedStep } from "../../../../test/kit/models/scripted-server.ts";

const bad = { "retry-after-ms": "1" };
const echo = { error: { type: "api_error", message: `your key ${canaryKey}`, code: canaryKey, param: canaryKey } };

/** Everything that an error or an event may show to anyone, its causes included. */
function everythingIn(value: unknown): string {
  const seen = new Set<unknown>();
  const shown: string[] = [];
  (function visit(current: unknown): void {
    if (typeof current === "string") shown.push(current);
    if (typeof current !== "object" || current === null || seen.has(current)) return;
    seen.add(current);
    for (const key of Reflect.ownKeys(current)) visit((current as Record<PropertyKey, unknown>)[key]);
  })(value);
  return shown.join("\n");
}

describe.concurrent.each(apis)("SEC-01: a key that the %s API throws back at us", (api) => {
  it.each<[string, ScriptedStep]>([
    ["a refused key", { status: 401, body: echo }],
    ["a refused request", { status: 400, body: echo }],
    ["a page", { status: 403, body: `<pre>x-api-key: ${canaryKey}</pre>` }],
    ["headers", { status: 404, headers: { "x-request-key": canaryKey }, body: echo }],
    ["an overload", { status: 529, headers: bad, body: echo }],
    ["a failure", { status: 500, headers: bad, body: echo }],
    ["a bare text", { status: 429, headers: bad, body: canaryKey }],
    ["an error in the stream", { text: "a", error: { type: canaryKey, message: canaryKey } }],
    ["broken events", { text: "a", raw: `data: {"key": "${canaryKey}\n\n` }],
    ["a strange end", { text: "a", finish: canaryKey }],
    ["a redirect", { status: 302, headers: { location: `http://127.0.0.1:9/${canaryKey}` } }],
    ["a cut", { text: "a", cut: "reset" }],
    ["a hang-up", "hang up"],
  ])("is in no error and no event: %s", async (_, answer) => {
    await using scripted = await startScriptedModel(api, [answer, answer, { text: "b" }]);
    const { events, error } = await readStep(scripted.model);
    expect(JSON.stringify(scripted.server.requests[0]?.headers)).toContain(canaryKey);
    expect(events.length + Number(error !== undefined)).toBeGreaterThan(0);
    expect(everythingIn([events, error, error?.stack])).not.toContain(canaryKey);
  });

  it("is in no error when the address is wrong", async () => {
    const wrong = `http://name:${canaryKey}@127.0.0.1:9`;
    const refusal: unknown = await modelAt(api, wrong).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "usage" });
    expect(everythingIn(refusal)).not.toContain(canaryKey);
    const nonsense: unknown = await modelAt(api, canaryKey).catch((error: unknown) => error);
    expect(nonsense).toMatchObject({ code: "usage" });
    expect(everythingIn(nonsense)).not.toContain(canaryKey);
  });
});

describe("SEC-01", () => {
  it("a key is found in the forms that a text may hold it in", () => {
    const secret = 'quote"and/slash+é';
    const text = `${secret} ${encodeURIComponent(secret)} ${JSON.stringify(secret)}`;
    expect(modelError("usage", text, { name: "m", secrets: [secret] }).message).toBe('m: [redacted] [redacted] "[redacted]"');
  });

  it("the request that a provider package puts into its errors does not come along", () => {
    const thrown = Object.assign(new Error("no"), { statusCode: 400, requestBodyValues: { all: canaryKey }, url: canaryKey });
    expect(everythingIn(toModelError(thrown, { name: "m", secrets: [] }))).not.toContain(canaryKey);
  });

  it("a list of models and a refusal name variables, not what they hold", async () => {
    const env = { ANTHROPIC_API_KEY: canaryKey, OPENAI_API_KEY: "", OLLAMA_HOST: "127.0.0.1:9" };
    const catalog = createModelCatalog({ env, config: { openaiCompatible: { baseUrl: "http://127.0.0.1:9", apiKeyEnv: "MISSING" } } });
    const refusal: unknown = await catalog.pick("openai/gpt-5.5").catch((error: unknown) => error);
    expect(everythingIn([await catalog.list(), refusal])).not.toContain(canaryKey);
    expect(everythingIn(refusal)).toContain("OPENAI_API_KEY is not set");
  });

  it("a model from elsewhere shows none of the keys of the environment", async () => {
    const env = { CLAUDE_TOKEN: canaryKey, OLLAMA_HOST: "127.0.0.1:9" };
    const throwing = { specificationVersion: "v4", provider: "p", modelId: "m", supportedUrls: {} };
    const doStream = (): Promise<never> => Promise.reject(Object.assign(new Error(`bad ${canaryKey}`), { statusCode: 401 }));
    const provider = {
      prefix: "mine",
      models: ["m"],
      missing: async () => undefined,
      create: async () => ({ ...throwing, doStream }) as never,
    };
    const model = await createModelCatalog({ env, providers: [provider] }).pick("mine/m");
    const { error } = await readStep(model);
    expect(error?.message).toBe("mine/m: the key was refused; check it, or pick another model (401): bad [redacted]");
  });
});
