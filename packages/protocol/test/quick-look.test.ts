// The quick look may be unsure, but it never takes what the whole check refuses.

import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { agentProtocol } from "../src/agent/protocol.ts";
import { bridgeProtocol } from "../src/bridge.ts";
import type { MessageDefinition } from "../src/define-protocol.ts";
import { echoProtocol } from "../src/echo.ts";
import { quickLook } from "../src/quick-look.ts";
import { rpcProtocol } from "../src/rpc.ts";

const definitions = [agentProtocol, bridgeProtocol, echoProtocol, rpcProtocol].map(({ definition }) => definition);
const messages = definitions.flatMap(({ name, requests, responses }) =>
  [requests, responses].flatMap((direction) =>
    Object.entries(direction.messages as Record<string, MessageDefinition>).map(([kind, message]) => ({
      title: `${name} ${kind}`,
      message,
    })),
  ),
);

const odd = [undefined, null, true, 0, -1, 1.5, Number.NaN, "", "x", [], ["x"], [null], {}, { type: "text" }, { content: [] }];

/** The value with one of its parts, at any depth, left out or replaced. */
function* alteredForms(value: unknown): Generator<unknown> {
  yield* odd;
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    const rest = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    const member = rest[key];
    for (const form of alteredForms(member)) yield Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [key]: form });
    delete rest[key];
    yield rest;
  }
}

describe("a quick look", () => {
  it.each(messages)("R147 at $title is never sure of what the check refuses", ({ message: { schema, examples } }) => {
    const fits = quickLook(schema);
    const forms = examples.flatMap((example) => [example, ...alteredForms(example)]);
    expect(forms.filter((form) => fits(form) && !v.is(schema, form))).toEqual([]);
  });

  it("is sure of calls and results of the bridge", () => {
    const { requests, responses } = bridgeProtocol.definition;
    for (const message of [requests.messages.call_tool, responses.messages.result, responses.messages.error])
      for (const example of message.examples) expect(quickLook(message.schema)(example)).toBe(true);
  });

  it("is unsure of what it does not know", () => {
    expect(quickLook(v.bigint())(1n)).toBe(false);
    expect(quickLook(v.pipe(v.string(), v.email()))("a@b.example")).toBe(false);
    expect(quickLook(v.record(v.string(), v.number()))({ a: 1 })).toBe(false);
    expect(quickLook(v.object({ there: v.unknown() }))({})).toBe(false);
  });
});
