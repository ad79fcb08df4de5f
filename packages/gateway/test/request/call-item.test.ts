// What a call may say: the short look that most calls get agrees with the protocol's own definition.

import { callItem, rpcProtocol } from "@hawser/protocol/internal";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCallItem } from "../../src/request/call-item.ts";

const isAccepted = (check: () => unknown): boolean => {
  try {
    check();
    return true;
  } catch {
    return false;
  }
};

const names = [...Object.keys(callItem.entries), "id", "unknown", "constructor", "__proto__"];
const values = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.integer({ min: -2, max: 200 }),
  fc.double(),
  fc.constantFrom("base64", {}, [], ["a=b"], [1], { a: 1 }),
);
const items = fc.array(fc.tuple(fc.constantFrom(...names), values), { maxLength: 4 }).map(toItem);

/** As JSON.parse makes it: every name is a member of its own. */
function toItem(entries: [string, unknown][]): unknown {
  const text = entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",");
  return JSON.parse(`{${text}}`);
}

describe("R91: members of a call", () => {
  it("are accepted exactly where the definition accepts them, and the call is given back as it is", () => {
    fc.assert(
      fc.property(items, (item) => {
        const { params } = item as { params?: unknown };
        const isDefined = !Array.isArray(params) && isAccepted(() => rpcProtocol.parseRequest({ op: "call", args: item }));
        // A null counts as left out; what fast-check makes of a NaN is one.
        fc.pre(!Object.values(item as object).includes(null));
        expect(isAccepted(() => expect(parseCallItem(item)).toBe(item))).toBe(isDefined);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [{ path: 1 }, '"path"'],
    [{ yes: "true" }, '"yes"'],
    [{ path: "/x", retry: 101 }, '"retry"'],
    [{ path: "/x", query: "a=b" }, '"query"'],
  ])("%j is refused, and the member is named", (item, name) => {
    expect(() => parseCallItem(item)).toThrow(name);
  });
});
