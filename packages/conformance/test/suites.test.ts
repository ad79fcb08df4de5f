// The suites as data: they can be printed and run by others, and name every requirement that they prove.

import { describe, expect, it } from "vitest";
import { checkSuite, suites, type Suite } from "../src/index.ts";

describe.each(Object.entries(suites))("the %s suite", (name, suite) => {
  it("is plain data: JSON gives it back unchanged", () => {
    expect(suite.protocol).toBe(name);
    expect(JSON.parse(JSON.stringify(suite))).toEqual(suite);
    // Ten megabytes are one short line.
    expect(JSON.stringify(suite).length).toBeLessThan(200_000);
  });

  it("can be run, and names requirements by the ids of the contract", () => {
    expect(() => checkSuite(suite)).not.toThrow();
    for (const { requirements } of suite.scenarios) {
      for (const requirement of requirements) expect(requirement).toMatch(/^(?:[GRH]\d+|(?:WIR|BRG|RUN|RPC|ACP)-\d\d)$/);
    }
  });
});

describe("the bridge and the parent suite together", () => {
  it("R1-R64: prove every row that can be seen from outside the process", () => {
    // The others are a constant, a bench, a type, a package or a platform, or need a file of another session.
    const unseen = [4, 14, 52, 53, 54, 55, 56, 59, 62, 63, 64];
    const scenarios = ["bridge", "parent"].flatMap((name) => (suites[name] as Suite).scenarios);
    const proven = new Set(scenarios.flatMap(({ requirements }) => requirements));
    const rows = Array.from({ length: 64 }, (_, index) => index + 1);
    expect(rows.filter((row) => !proven.has(`R${row}`))).toEqual(unseen);
  });

  it("never rest a row of the contract on additive scenarios alone, but for the check of arguments, which is ours", () => {
    const scenarios = ["bridge", "parent"].flatMap((name) => (suites[name] as Suite).scenarios);
    const rowsOf = (additive: boolean): Set<string> =>
      new Set(
        scenarios
          .filter((scenario) => (scenario.additive ?? false) === additive)
          .flatMap(({ requirements }) => requirements.filter((id) => id.startsWith("R"))),
      );
    expect([...rowsOf(true).difference(rowsOf(false))]).toEqual(["R18"]);
  });
});

describe("the rpc suite", () => {
  const { scenarios } = suites["rpc"] as Suite;
  const rowsOf = (additive: boolean): Set<string> =>
    new Set(
      scenarios
        .filter((scenario) => (scenario.additive ?? false) === additive)
        .flatMap(({ requirements }) => requirements.filter((id) => id.startsWith("R") && !id.startsWith("RPC"))),
    );

  it("R77-R111: proves every row that can be seen of a server, and none on additive scenarios alone", () => {
    // Four are for hosts, and one compares two versions of the definition.
    const unseen = [102, 103, 104, 105, 108];
    const rows = Array.from({ length: 35 }, (_, index) => index + 77);
    expect(rows.filter((row) => !rowsOf(false).has(`R${row}`))).toEqual(unseen);
    expect([...rowsOf(true).difference(rowsOf(false))]).toEqual([]);
  });

  it("H21-H30: tries every choice of ours, as additive where the contract does not ask for it", () => {
    const tried = new Set(scenarios.flatMap(({ requirements }) => requirements));
    expect(Array.from({ length: 10 }, (_, index) => `H${index + 21}`).filter((id) => !tried.has(id))).toEqual([]);
  });
});

describe("the agent suite", () => {
  const { scenarios } = suites["agent"] as Suite;
  const rowsOf = (additive: boolean): Set<string> =>
    new Set(
      scenarios
        .filter((scenario) => (scenario.additive ?? false) === additive)
        .flatMap(({ requirements }) => requirements.filter((id) => /^R\d/.test(id))),
    );

  it("R112-R149: proves every row that can be seen of a runtime, and on additive scenarios alone only what needs a tool that fails or a turn that waits", () => {
    // Four are for hosts, three for whoever counts writes, injects streams or reads the log, two are types.
    const unseen = [135, 137, 139, 140, 142, 143, 144, 148, 149];
    const rows = Array.from({ length: 38 }, (_, index) => index + 112);
    expect(rows.filter((row) => !rowsOf(false).has(`R${row}`) && !rowsOf(true).has(`R${row}`))).toEqual(unseen);
    expect([...rowsOf(true).difference(rowsOf(false))].toSorted()).toEqual(["R134", "R146"]);
  });
});

describe("the acp suite", () => {
  const { scenarios, rules = {} } = suites["acp"] as Suite;

  it("tries every rule that it states, and what the protocol demands in a scenario that can fail", () => {
    const rowsOf = (isAdditive: boolean): Set<string> =>
      new Set(scenarios.filter(({ additive = false }) => additive === isAdditive).flatMap(({ requirements }) => requirements));
    const demanded = Object.keys(rules).filter((id) => rules[id]?.level === "must");
    expect(demanded.filter((id) => !rowsOf(false).has(id))).toEqual([]);
    expect(Object.keys(rules).filter((id) => !rowsOf(false).has(id) && !rowsOf(true).has(id))).toEqual([]);
  });
});
