// The list of tools behind a program that may be restarted: read again when the file is another one, told only when the tools are.

import fs from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { bridgeLimits } from "../../src/limits.ts";
import { createToolList, type ToolList } from "../../src/process/tool-list.ts";
import { it } from "./bridges.ts";
import { until } from "../../../../test/kit/until.ts";

const schemasOf = (...names: string[]): string => JSON.stringify(names.map((name) => ({ name, description: "", input_schema: {} })));
const namesIn = ({ current }: ToolList): string[] => [...current.originals.keys()];

/** As a program that starts does it: another file, under the same name in one step. */
function replace(path: string, content: string): void {
  fs.writeFileSync(`${path}.draft`, content);
  fs.renameSync(`${path}.draft`, path);
}

describe("a list that follows its program", () => {
  it("is read again when the file is another one, and told of only when the tools are", ({ directory }) => {
    const schemaPath = join(directory, "harbour.json");
    replace(schemaPath, schemasOf("one"));
    const list = createToolList({ schemaPath, follow: true });
    const told: string[][] = [];
    list.watch(() => told.push(namesIn(list)));
    for (const names of [["one"], ["two"], ["two"], ["two", "three"]]) {
      replace(schemaPath, schemasOf(...names));
      list.refresh();
      expect(namesIn(list)).toEqual(names);
    }
    expect(told).toEqual([["two"], ["two", "three"]]);
    list.close();
  });

  it("stays as it was while there is no file, or one that can't be used", ({ directory }) => {
    const schemaPath = join(directory, "harbour.json");
    replace(schemaPath, schemasOf("one"));
    const list = createToolList({ schemaPath, follow: true });
    fs.rmSync(schemaPath);
    list.refresh();
    expect(namesIn(list)).toEqual(["one"]);
    replace(schemaPath, "[{");
    list.refresh();
    expect(namesIn(list)).toEqual(["one"]);
    replace(schemaPath, schemasOf("two"));
    list.refresh();
    expect(namesIn(list)).toEqual(["two"]);
  });

  it("notices by itself, also when it began without a file and its folder was made anew", async ({ directory }) => {
    const folder = join(directory, "state");
    const schemaPath = join(folder, "harbour.json");
    const list = createToolList({ schemaPath, follow: true });
    expect(namesIn(list)).toEqual([]);
    let isTold = false;
    list.watch(() => (isTold = true));
    fs.mkdirSync(folder);
    replace(schemaPath, schemasOf("one"));
    await until(() => isTold, bridgeLimits.bridgeFollowMs * 30, "it was told");
    expect(namesIn(list)).toEqual(["one"]);
    list.close();
  });
});

describe("a list that does not", () => {
  it("R39 is read once, and not without a file", ({ directory }) => {
    const schemaPath = join(directory, "schema.json");
    expect(() => createToolList({ schemaPath, follow: false })).toThrow(/there is no such file/);
    replace(schemaPath, schemasOf("one"));
    const list = createToolList({ schemaPath, follow: false });
    replace(schemaPath, schemasOf("two"));
    list.refresh();
    expect(namesIn(list)).toEqual(["one"]);
  });
});
