// Modules that `hawser expose` can't take its tools from: one sentence with the file and the cause, and exit code 2.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder, runHawser } from "./run-hawser.ts";

const modules: readonly (readonly [string, string, string, string])[] = [
  [
    "whose top-level await never ends",
    "endless.mjs",
    "await new Promise(() => {}); export const tool = 1;",
    "can't load {path}: its top-level await never ends",
  ],
  [
    "that exports a revoked proxy",
    "revoked.mjs",
    "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); export { proxy };",
    "can't read what {path} exports: Cannot perform 'get' on a proxy that has been revoked",
  ],
  [
    "with a getter that throws",
    "getter.cjs",
    'module.exports = { get tool() { throw new Error("no database"); } };',
    "can't read what {path} exports: no database",
  ],
  [
    "with a tool that has no input",
    "half.mjs",
    'export const moor = { name: "moor", description: "Moors.", run: () => "done" };',
    'can\'t read what {path} exports: moor has `run` but no `input`; give it a validator or JSON Schema, { type: "object" } for a tool that takes nothing',
  ],
];

describe.concurrent("hawser expose", () => {
  it("a tool that no client can take is named at the start, and the others are offered", async () => {
    const path = join(makeFolder("load"), "odd.mjs");
    const tool = (name: string, type: string): string =>
      `export const ${name} = { name: "${name}", description: "One.", input: { type: "${type}" }, run: () => 1 };\n`;
    writeFileSync(path, tool("odd", "nope") + tool("fine", "object"));
    const { code, stderr } = await runHawser(["expose", path, "--", process.execPath, "-e", ""]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('tool "odd" is left out: its input_schema does not describe an object')]);
    expect(stderr).not.toContain('"fine"');
  });

  it("a tool without a description is named in one line, and offered", async () => {
    const path = join(makeFolder("load"), "silent.mjs");
    const described = ["", ' description: "",', ' description: " ",', ' description: "Moors.",'];
    const tools = described.map((member, at) => `export const t${at} = { name: "tool_${at}",${member} input: {}, run: () => 1 };\n`);
    writeFileSync(path, tools.join(""));
    const { code, stderr } = await runHawser(["expose", path, "--", process.execPath, "-e", "", "{config}"]);
    const warning = (at: number): string =>
      `hawser: tool "tool_${at}" has no description; say what it does, or no model knows when to call it\n`;
    expect([code, stderr]).toEqual([0, [0, 1, 2].map(warning).join("")]);
  });

  it.each(modules)("a module %s is refused in one sentence", async (_, name, source, reason) => {
    const path = join(makeFolder("load"), name);
    writeFileSync(path, source);
    for (const command of [[], ["--", process.execPath, "-e", "console.log('never runs')"]]) {
      const { code, stdout, stderr } = await runHawser(["expose", path, ...command]);
      expect([code, stdout, stderr]).toEqual([2, "", `hawser: ${reason.replace("{path}", path)}\n`]);
    }
  });
});
