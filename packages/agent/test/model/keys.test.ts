// Keys that can't work: said at once, by the name of the variable, and never shown.

import { describe, expect, it } from "vitest";
import { createModelCatalog } from "../../src/model/catalog.ts";
import { toModelError } from "../../src/model/model-error.ts";

describe("a key that no header takes", () => {
  it.each([
    ["a line break", "sk-one\nsk-two"],
    ["letters of another alphabet", "ключ"],
    ["a blank", "sk one"],
  ])("SEC-01: is refused before anything is sent, by its variable: %s", async (_, key) => {
    const config = { openaiCompatible: { baseUrl: "http://127.0.0.1:1/v1", apiKeyEnv: "MY_KEY" } };
    const catalog = createModelCatalog({ env: { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key, MY_KEY: key }, config });
    const models = { ANTHROPIC_API_KEY: "anthropic/a", OPENAI_API_KEY: "openai/a", MY_KEY: "openai-compatible/a" };
    for (const [variable, name] of Object.entries(models)) {
      const error: unknown = await catalog.pick(name).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "usage", message: expect.stringContaining(`the key in ${variable} can't be sent`) as string });
      expect(JSON.stringify(error) + String(error)).not.toContain(key);
    }
  });

  it("what a package refuses to send is not tried again", () => {
    const error = toModelError(new TypeError("Cannot convert argument to a ByteString"), { name: "m", secrets: [] });
    expect(error).toMatchObject({ code: "model_failed", message: "m: Cannot convert argument to a ByteString" });
    expect(error.facts["mayRetry"]).toBeUndefined();
  });
});
