// Which models there are, which one answers, how they are named, and where their servers are looked for.

import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { createModelCatalog, type ModelCatalogOptions } from "../../src/model/catalog.ts";
import { findLocalModels, ollamaBaseUrl } from "../../src/model/local-server.ts";
import { defaultModels } from "../../src/model/catalog.ts";
import type { Model } from "../../src/model/model.ts";
import type { ModelProvider } from "../../src/model/vendors.ts";
import { processorMs } from "../processor-time.ts";
import { createStep, readStep } from "./model-rig.ts";
import { startScriptedAnthropic } from "../../../../test/kit/models/scripted-anthropic.ts";
import { startScriptedOpenAI } from "../../../../test/kit/models/scripted-openai.ts";

const nobody = "127.0.0.1:9";
/** For a server that does answer, though this process has to do it, on a busy machine. */
const patientMs = 50_000;
const stub: Model = { name: "offline", stream: async function* () {} };
const offline = (): Model => stub;
const catalogWith = (env: Record<string, string>, options: Partial<ModelCatalogOptions> = {}) =>
  createModelCatalog({ env: { OLLAMA_HOST: nobody, ...env }, offline, ...options });

const provider = (isAvailable: boolean): ModelProvider => ({
  prefix: "claude-code",
  models: ["sonnet"],
  missing: () => Promise.resolve(isAvailable ? undefined : "install it first"),
  create: (model) => Promise.resolve({ ...stub, name: `claude-code/${model}` }),
});

describe("the model that answers", () => {
  const keys = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" };

  it.each<[string, Record<string, string>, Partial<ModelCatalogOptions>, string]>([
    ["the command line's", { ...keys, HAWSER_MODEL: "offline" }, { model: "openai/o", config: { model: "ollama/o" } }, "openai/o"],
    ["else HAWSER_MODEL", { ...keys, HAWSER_MODEL: "ollama/llama" }, { config: { model: "offline" } }, "ollama/llama"],
    ["else the configuration's", keys, { config: { model: "claude-code/opus" }, providers: [provider(true)] }, "claude-code/opus"],
    ["else Anthropic's with its key", keys, {}, `anthropic/${defaultModels["anthropic"]}`],
    ["else with its token", { ANTHROPIC_AUTH_TOKEN: "t", OPENAI_API_KEY: "k" }, {}, `anthropic/${defaultModels["anthropic"]}`],
    ["else OpenAI's with its key", { ANTHROPIC_API_KEY: " ", OPENAI_API_KEY: "k" }, {}, `openai/${defaultModels["openai"]}`],
    [
      "else a configured server's",
      {},
      { config: { openaiCompatible: { baseUrl: "http://127.0.0.1:9", models: ["m"] } } },
      "openai-compatible/m",
    ],
    ["else offline, and never claude-code", {}, { providers: [provider(true)] }, "offline"],
    ["a vendor's default where only the vendor is named", {}, { model: "openai" }, `openai/${defaultModels["openai"]}`],
  ])("is %s", async (_, env, options, expected) => {
    expect(catalogWith(env, options).current).toBe(expected);
  });

  it("is a local server's where nothing else is there: the first answer knows, whatever was said before", async () => {
    const server = await startScriptedOpenAI([{ text: "Local." }]);
    try {
      const catalog = catalogWith({ OLLAMA_HOST: server.origin }, { localServerMs: patientMs });
      expect(catalog.current).toBe("offline");
      const model = await catalog.pick();
      expect(model.name).toBe("ollama/scripted-model");
      expect(catalog.current).toBe("ollama/scripted-model");
      expect((await readStep(model)).text).toBe("Local.");
      expect(server.requests[0]?.path).toBe("/v1/chat/completions");
      expect(server.requests[0]?.headers.authorization).toBeUndefined();
    } finally {
      await server.close();
    }
  });

  it("is offline when a local server does not answer in time", async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    try {
      const catalog = catalogWith({ OLLAMA_HOST: `127.0.0.1:${(silent.address() as AddressInfo).port}` });
      const began = performance.now();
      expect((await catalog.pick()).name).toBe("offline");
      const ms = performance.now() - began;
      expect(ms).toBeGreaterThan(agentLimits.localServerMs - 20);
      // Nobody would answer for ever; the rest is for a busy machine.
      expect(ms).toBeLessThan(agentLimits.localServerMs + 30_000);
    } finally {
      silent.close();
    }
  });

  it("the embedded offline model answers where none was handed in", async () => {
    const model = await createModelCatalog({ env: { HAWSER_MODEL: "offline" } }).pick();
    const { text, error } = await readStep(model, createStep());
    expect(error).toBeUndefined();
    expect(text).not.toBe("");
  });
});

describe("names", () => {
  it.each<[string, RegExp]>([
    ["antropic/claude", /unknown model "antropic\/claude"\. Known forms: offline, anthropic\/<model>, openai\/<model>/],
    ["ofline", /Did you mean offline\?/],
    [defaultModels["anthropic"] ?? "", new RegExp(`Did you mean anthropic/${defaultModels["anthropic"]}\\?`)],
    ["ollama", /ollama needs the name of a model: ollama\/<model>/],
    ["openai/", /unknown model "openai\/"/],
    ["openai/a b", /unknown model/],
    ["claude-code/sonnet", /unknown model/],
    ["", /unknown model ""/],
    [`openai/${"x".repeat(10_000)}`, /^unknown model .{190,220}\. Known forms/],
  ])("%j is refused with what may have been meant", async (name, message) => {
    await expect(catalogWith({}).pick(name)).rejects.toMatchObject({ code: "usage", message: expect.stringMatching(message) });
  });

  it("a prefix alone is enough where its provider says which of its models is meant", async () => {
    const providers = [{ ...provider(true), defaultModel: "default" }];
    expect((await catalogWith({}, { providers, model: "claude-code" }).pick()).name).toBe("claude-code/default");
    await expect(catalogWith({}, { providers: [provider(true)] }).pick("claude-code")).rejects.toThrow("needs the name of a model");
  });

  it("a choice that is no name is refused when the catalog is made, with its source", () => {
    expect(() => catalogWith({}, { model: "gpt" })).toThrow(/^--model: unknown model "gpt"/);
    expect(() => catalogWith({ HAWSER_MODEL: "gpt" })).toThrow(/^HAWSER_MODEL: unknown model/);
    expect(() => catalogWith({}, { config: { model: "gpt" } })).toThrow(/^the configuration: unknown model/);
  });

  it("a model whose key is missing is refused with the name of the variable", async () => {
    await expect(catalogWith({}).pick("anthropic/x")).rejects.toMatchObject({
      code: "usage",
      message: 'anthropic/x can\'t be used: ANTHROPIC_API_KEY is not set. The model "offline" needs nothing',
    });
    const config = { openaiCompatible: { baseUrl: "http://127.0.0.1:9", apiKeyEnv: "MY_KEY" } };
    await expect(catalogWith({}, { config }).pick("openai-compatible/x")).rejects.toThrow("MY_KEY is not set");
    await expect(catalogWith({}, { providers: [provider(false)] }).pick("claude-code/sonnet")).rejects.toThrow("install it first");
  });
});

describe("the list", () => {
  it("says of every model whether it can be had, and why not", async () => {
    const config = { openaiCompatible: { baseUrl: "http://127.0.0.1:9", models: ["m"] } };
    const catalog = catalogWith({ OPENAI_API_KEY: "k", HAWSER_MODEL: "openai/special" }, { config, providers: [provider(false)] });
    expect(await catalog.list()).toEqual([
      { model: "openai/special", available: true, current: true },
      { model: `anthropic/${defaultModels["anthropic"]}`, available: false, current: false, reason: "ANTHROPIC_API_KEY is not set" },
      { model: `openai/${defaultModels["openai"]}`, available: true, current: false },
      { model: "openai-compatible/m", available: true, current: false },
      { model: "ollama/<model>", available: false, current: false, reason: "no server answers; start it with: ollama serve" },
      { model: "claude-code/sonnet", available: false, current: false, reason: "install it first" },
      { model: "offline", available: true, current: false },
    ]);
  });

  it("has what a local server has, and is not troubled by a provider that fails", async () => {
    const server = await startScriptedOpenAI([]);
    try {
      const failing = { ...provider(true), missing: () => Promise.reject(new Error("it broke")) };
      const list = await catalogWith({ OLLAMA_HOST: server.origin }, { providers: [failing], localServerMs: patientMs }).list();
      expect(list.find(({ model }) => model === "ollama/scripted-model")).toEqual({
        model: "ollama/scripted-model",
        available: true,
        current: true,
      });
      expect(list.find(({ model }) => model === "claude-code/sonnet")).toMatchObject({ available: false, reason: "it broke" });
      expect(list.find(({ model }) => model === "openai-compatible/<model>")).toMatchObject({ available: false });
    } finally {
      await server.close();
    }
  });
});

describe("addresses", () => {
  it.each(["", "/", "/v1"])("ANTHROPIC_BASE_URL is taken as Anthropic's own clients take it, with %j at its end", async (end) => {
    const server = await startScriptedAnthropic([{ text: "Hi" }]);
    try {
      const model = await catalogWith({ ANTHROPIC_AUTH_TOKEN: "token-1", ANTHROPIC_BASE_URL: `${server.url}${end}` }).pick();
      expect((await readStep(model)).text).toBe("Hi");
      expect(server.requests[0]).toMatchObject({ path: "/v1/messages", headers: { authorization: "Bearer token-1" } });
      expect(server.requests[0]?.headers["x-api-key"]).toBeUndefined();
    } finally {
      await server.close();
    }
  });

  it("OPENAI_BASE_URL is taken as OpenAI's own clients take it, and nothing is left with the vendor", async () => {
    const server = await startScriptedOpenAI([{ text: "Hi" }]);
    try {
      const model = await catalogWith({ OPENAI_API_KEY: "key-1", OPENAI_BASE_URL: server.url }).pick();
      expect((await readStep(model)).text).toBe("Hi");
      expect(server.requests[0]).toMatchObject({
        path: "/v1/responses",
        headers: { authorization: "Bearer key-1" },
        body: { store: false },
      });
    } finally {
      await server.close();
    }
  });

  it("SEC-01 a server of one's own gets the key of the variable that the file names, and without one none, whatever others are set", async () => {
    const server = await startScriptedOpenAI([{ text: "Hi" }, { text: "Hi" }]);
    try {
      const env = { OPENAI_API_KEY: "not-yours", ANTHROPIC_API_KEY: "nor-yours", MY_KEY: "key-1" };
      for (const apiKeyEnv of [undefined, "MY_KEY"]) {
        const config = { model: "openai-compatible/m", openaiCompatible: { baseUrl: server.url, apiKeyEnv } };
        expect((await readStep(await catalogWith(env, { config }).pick())).text).toBe("Hi");
      }
      expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, "Bearer key-1"]);
      expect(JSON.stringify(server.requests)).not.toMatch(/n(?:ot|or)-yours/);
    } finally {
      await server.close();
    }
  });

  it.each([
    [undefined, "http://127.0.0.1:11434/v1"],
    ["", "http://127.0.0.1:11434/v1"],
    [":8080", "http://127.0.0.1:8080/v1"],
    ["0.0.0.0", "http://127.0.0.1:11434/v1"],
    ["box", "http://box:11434/v1"],
    ["box:99/", "http://box:99/v1"],
    ["http://box", "http://box/v1"],
    ["https://u:p@box:1/base/", "https://box:1/base/v1"],
    ["no address", "http://127.0.0.1:11434/v1"],
  ])("OLLAMA_HOST %j is %s", (host, expected) => {
    expect(ollamaBaseUrl(host)).toBe(expected);
  });

  it("a server whose list has no end is given up, long before its time is over", { timeout: 240_000 }, async () => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const fill = (): void => void socket.write("x".repeat(65_536), (error) => error ?? setImmediate(fill));
      fill();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const began = performance.now();
    expect(await findLocalModels(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, 110_000)).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(100_000);
    server.close();
  });

  it.each([
    ["HTTP/1.1 200 OK\r\n\r\n", '{"data": [{"id": "good"}, {"id": "not good"}, {"id": 5}, 6]}', ["good"]],
    ["HTTP/1.0 200 OK\r\nx: y\r\n\r\n", '{"data": []}', []],
    ["HTTP/1.1 500 No\r\n\r\n", '{"data": [{"id": "good"}]}', undefined],
    ["HTTP/1.1 200 OK\r\n\r\n", '{"data": 5}', undefined],
    ["HTTP/1.1 200 OK\r\n\r\n", '{"da', undefined],
    ["SSH-2.0\r\n", "", undefined],
  ])("a server that answers %j and %j has the models %j", async (head, body, expected) => {
    const server = createServer((socket) => socket.end(`${head}${body}`));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    expect(await findLocalModels(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, patientMs)).toEqual(expected);
    server.close();
  });
});

describe("a catalog costs nothing", () => {
  it("until a model is used: it is made in less than 3 ms", async () => {
    const times: number[] = [];
    for (let round = 0; round < 20; round++)
      times.push(await processorMs(() => void createModelCatalog({ env: { ANTHROPIC_API_KEY: "k" } })));
    expect(Math.min(...times)).toBeLessThan(3);
  });

  it("until a model is used: no provider package is loaded with it", () => {
    const seen = new Map<string, readonly string[]>();
    (function visit(file: URL): void {
      if (seen.has(file.href)) return;
      const imported = [...readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type\b)[^;]*?from "([^"]+)";/gm)].map(
        ([, name]) => name ?? "",
      );
      seen.set(file.href, imported);
      for (const name of imported) if (name.startsWith(".")) visit(new URL(name, file));
    })(new URL("../../src/model/catalog.ts", import.meta.url));
    const packages = [...seen.values()].flat().filter((name) => !name.startsWith(".") && !name.startsWith("node:"));
    expect(seen.size).toBeGreaterThan(5);
    expect(packages.filter((name) => !/^@hawser\/(?:protocol|tools|wire)\b/.test(name))).toEqual([]);
  });
});
