// What the core refuses, as the command line says it: with flags where other doors have members of an item.

import { describe, expect, it } from "vitest";
import type { CallItem } from "@hawser/protocol";
import type { FlagWords } from "../../src/call.ts";
import { toFailureOutcome } from "../../src/execute/outcome.ts";
import { createRedactor } from "../../src/execute/redaction.ts";
import { parseDuration } from "../../src/request/duration.ts";
import { built, operation, parameter } from "./targets.ts";

const writeTag = operation({
  operationId: "writeTag",
  method: "PUT",
  parameters: [parameter("limit", "query", { schema: { type: "integer" } })],
  requestBody: {
    required: true,
    media: [{ contentType: "application/json", schema: { type: "object", required: ["value"], properties: { note: {}, value: {} } } }],
  },
});
const anyBody = { ...writeTag, requestBody: { required: true, media: [{ contentType: "text/plain", schema: {} }] } };

function wordsOf(work: () => unknown): FlagWords | undefined {
  try {
    work();
  } catch (error) {
    return toFailureOutcome({ startedAt: 0, redactor: createRedactor("secret-token") }, error).asFlags;
  }
  return undefined;
}

describe("a refusal as the command line says it", () => {
  it.each<[CallItem, typeof writeTag | undefined, string | RegExp]>([
    [{ op: "writeTag", path: "/x" }, writeTag, "--op can't be used together with --path or --method"],
    [{ path: "/x", params: { a: 1 } }, undefined, "--param belongs to --op; with --path use --query, --header, --body"],
    [{ path: "/x", method: "put" }, undefined, "PUT changes something; add --yes"],
    [{ path: "/x", method: "POST", yes: true, retry: 1 }, undefined, /^--retry works with idempotent methods only/],
    [{ path: "/x", contentType: "a/b", headers: ["content-type: c/d"] }, undefined, /twice, by --content-type and by --header$/],
    [{ path: "/x", query: ["a"] }, undefined, 'invalid --query "a": expected key=value'],
    [{ path: "/x", headers: ["a"] }, undefined, `invalid --header "a": expected 'Key: value'`],
    [{ op: "writeTag", yes: true }, writeTag, /^writeTag needs a body: give --param value=…, or --body; writeTag takes /],
    [{ op: "writeTag", yes: true }, anyBody, /^writeTag needs a body: give --body; /],
    [{ op: "writeTag", yes: true, body: "1", params: { value: 2 } }, writeTag, /twice, by --body or --form and by --param$/],
  ])("%j", (item, described, message) => {
    expect(wordsOf(() => built(item, described))?.message).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
  });

  it("names the flag in its hint alone where the message is the same everywhere", () => {
    const missing = { ...writeTag, parameters: [parameter("name", "path")], path: "/tags/{name}" };
    expect(wordsOf(() => built({ op: "writeTag", yes: true }, missing))).toEqual({ hint: "give it as --param name=…" });
    const wrong = { op: "writeTag", yes: true, params: { limit: "many", value: 1 } };
    expect(wordsOf(() => built(wrong, writeTag))).toEqual({ hint: "where the document is wrong, give it as --query" });
    expect(wordsOf(() => parseDuration("5", "retryBackoff"))?.message).toBe('invalid --retry-backoff "5"');
  });

  it("does not show the token", () => {
    expect(wordsOf(() => parseDuration("secret-token"))?.message).toBe('invalid --timeout "[redacted]"');
  });
});
