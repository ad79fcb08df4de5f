// What is said of a server that can't be reached: which one, why, and what to do.

import { expect, it } from "vitest";
import { toModelError } from "../../src/model/model-error.ts";

const errorOf = (name: string, facts: object): string =>
  toModelError(Object.assign(new Error("fetch failed"), facts), { name, secrets: [] }).message;

it("a host that is not found is named, with what to do", () => {
  expect(errorOf("anthropic/x", { code: "ENOTFOUND", hostname: "api.example" })).toBe(
    "anthropic/x: api.example: no such host (ENOTFOUND); check the network and the server's address, or pick another model",
  );
});

it("a local server that does not run can be started", () => {
  expect(errorOf("ollama/x", { code: "ECONNREFUSED" })).toMatch(/^ollama\/x: .*; start it with: ollama serve$/);
});
