// What is looked at in the text of arguments before they are checked: how wide their objects are, and their numbers.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toolLimits } from "../src/limits.ts";
import { checkSource, findSourceProblem } from "../src/tool-input.ts";
import { inSlices, watchLoop } from "./loop-turns.ts";

describe("SEC-05: before the check", () => {
  const text = (members: number): string =>
    `{"params":{"arguments":{"value":{${Array.from({ length: members }, (_, n) => `"m${n}":[1]`).join()}}}}}`;
  const look = async (source: string): Promise<void> =>
    checkSource("t", (JSON.parse(source) as { params: { arguments: unknown } }).params.arguments, source, []);

  // A twentieth of the bound that is shipped: the members are counted one by one, whatever it is.
  const { argumentMembers } = toolLimits;
  beforeEach(() => void (toolLimits.argumentMembers = 25_000));
  afterEach(() => void (toolLimits.argumentMembers = argumentMembers));

  it("an object with more members than JavaScript lists in a short time is refused", async () => {
    await look(text(25_000));
    await expect(look(text(25_001))).rejects.toThrow(
      /invalid arguments for tool "t": \(arguments\): an object has more than 25000 members; send a list instead/,
    );
  });

  it("several objects that are wide together, and brackets in texts, are not", async () => {
    const both = `[${text(15_000)},${text(15_000)},"${":".repeat(30_000)}"]`;
    expect(await findSourceProblem(JSON.parse(both), both, [])).toBeUndefined();
  });

  it("the event loop has its turns while 100,000 long numbers are looked at", async () => {
    const numbers = (last: string): string => `{"list":[${"9007199254740994.0,".repeat(100_000)}${last}]}`;
    const find = (source: string) => inSlices(() => watchLoop(() => findSourceProblem(JSON.parse(source), source, [])));
    const exact = await find(numbers("0"));
    expect([exact.result, exact.turns > 400]).toEqual([undefined, true]);
    expect((await find(numbers("1e400"))).result).toEqual({ path: "/list/100000", reason: expect.stringContaining("1e400 is too large") });
  });
});
