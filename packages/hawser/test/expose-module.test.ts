// `hawser expose` and the module it is given: which exports are tools, and one sentence for everything
// that can be wrong with it.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadTools, toServerName } from "../src/expose/load-tools.ts";
import { fixtures, readConfig, startExpose, withClient } from "./expose-session.ts";
import { launcher, makeFolder, runHawser, start, type Ended } from "./run-hawser.ts";

const toolSource = (name: string): string => `{ name: "${name}", description: "", input: {}, run: () => "${name}" }`;

/** Runs `hawser expose` on a module of this content, in its folder. */
async function exposeSource(content: string, file = "tools.mjs", options: readonly string[] = []): Promise<Ended> {
  const folder = makeFolder("module");
  writeFileSync(join(folder, file), content);
  const running = start(["expose", join(folder, file), "--", "true", "{config}"], {}, [...options, launcher]);
  return running.ended;
}

const byText = (one: unknown, other: unknown): number => JSON.stringify(one).localeCompare(JSON.stringify(other));

describe("exports", () => {
  it("takes tools of every kind, by the best name each has, and each once", async () => {
    const exposed = startExpose([join(fixtures, "mixed-tools.ts")]);
    const answers = await withClient(await readConfig(exposed), async (client) => {
      const { tools } = await client.listTools();
      const calls = tools.map(({ name }) => client.callTool({ name, arguments: { value: 7 } }));
      return (await Promise.all(calls)).map(({ content }) => content);
    });
    const texts = ["agent_sdk 7", "aiSdk 7", "keyed 7", "listed 7", "ours 7"];
    expect(answers.toSorted(byText)).toEqual(texts.map((text) => [{ type: "text", text }]));
    exposed.running.process.kill("SIGINT");
    await exposed.running.ended;
  });

  it.each([
    ["a default export without a name gets the module's", `export default { inputSchema: {}, execute() {} };`, ["harbour"]],
    ["a list without names gets the export's and the place", `export const kit = [{ inputSchema: {}, execute() {} }];`, ["kit_0"]],
    ["a CommonJS module", `module.exports = { add: ${toolSource("add")} };`, ["add"]],
    ["a namespace", `export * as kit from "./kit.mjs";`, ["one"]],
  ])("%s", async (_, content, names) => {
    const folder = makeFolder("module");
    const path = join(folder, content.startsWith("module") ? "harbour.cjs" : "harbour.mjs");
    writeFileSync(join(folder, "kit.mjs"), `export const one = ${toolSource("one")}; export const other = 1;`);
    writeFileSync(path, content);
    expect(Object.keys(await loadTools(path))).toEqual(names);
  });

  it.each([
    ["src/my tools.v2.ts", "my_tools_v2"],
    ["häfen.mjs", "h_fen"],
    [`${"x".repeat(80)}.ts`, "x".repeat(64)],
  ])("a client calls the server of %s: %s", (path, name) => {
    expect(toServerName(path)).toBe(name);
  });
});

const mistakes: readonly [string, string, string, RegExp][] = [
  ["no tool", "tools.mjs", "export const port = 80, add = () => 1;", /tools\.mjs exports no tool, only add, port; export values made by/],
  ["nothing", "tools.mjs", "", /tools\.mjs exports no tool; export values made by defineTool\(\{ name, description, input, run \}\)$/],
  [
    "two tools of one name",
    "tools.mjs",
    `export const one = ${toolSource("add")}; export const two = [${toolSource("add")}];`,
    /tools\.mjs: two tools are called "add", one and two\[0\]; rename one$/,
  ],
  [
    "an error at import",
    "tools.ts",
    "\nthrow new TypeError('no database\\nreally');",
    /can't load \S+tools\.ts: no database \(\S*tools\.ts:2\)$/,
  ],
  [
    "a file of another kind",
    "tools.md",
    "# Tools",
    /tools\.md is not a module \(Unknown file extension "\.md" .+\); tools are the functions that a \.ts or \.js file exports$/,
  ],
  ["a thrown string", "tools.mjs", "throw 'no luck';", /can't load \S+tools\.mjs: no luck$/],
  [
    "a missing import",
    "tools.mjs",
    'import "no-such-package";',
    /can't load \S+: Cannot find package 'no-such-package' imported from \S+tools\.mjs$/,
  ],
  ["a syntax error", "tools.mjs", "\nexport const x = ;", /can't load \S+tools\.mjs: Unexpected token ';' \(\S*tools\.mjs:2\)$/],
  [
    "a syntax error that is none of TypeScript's",
    "tools.ts",
    "interface Port {\n  n: number;\n}\nconst a: Port = { n: 1 }, a = 2;",
    /can't load \S+tools\.ts: Identifier 'a' has already been declared \(\S*tools\.ts:4\)$/,
  ],
  [
    "a syntax error in TypeScript",
    "tools.ts",
    "const a: number = 1;\n\nexport const x: number = ;",
    /can't load \S+tools\.ts: Expression expected \(\S*tools\.ts:3\)$/,
  ],
  ["a syntax error in CommonJS", "tools.cjs", "\nmodule.exports = { x: };", /can't load \S+: Unexpected token '}' \(\S*tools\.cjs:2\)$/],
  [
    "syntax that can't be erased",
    "tools.ts",
    "\nenum A { B }",
    /can't load \S+tools\.ts: TypeScript enum is not supported .+ \(\S*tools\.ts:2\)$/,
  ],
  [
    "an input that is no schema",
    "tools.mjs",
    "export const a = { name: 'a', description: '', input: { '~standard': { vendor: 'x', version: 1 } }, run() {} };",
    /tool "a": a x schema that can't print JSON Schema; /,
  ],
];

describe.concurrent("a module", () => {
  it.each(mistakes)("with %s is refused in one sentence, with exit code 2", async (_, file, content, message) => {
    const { code, stdout, stderr } = await exposeSource(content, file);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^hawser: [^\n]+\n$/);
    expect(stderr.trim()).toMatch(message);
  });

  it("that imports one with a syntax error is refused with the place in that one", async () => {
    const folder = makeFolder("module");
    writeFileSync(join(folder, "kit.ts"), "\nlet x: string = ;");
    writeFileSync(join(folder, "tools.ts"), 'import "./kit.ts";');
    const { code, stderr } = await runHawser(["expose", join(folder, "tools.ts")]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^hawser: can't load \S+tools\.ts: Expression expected \(\S*kit\.ts:2\)\n$/)]);
  });

  it("that keeps its process alive is refused all the same", async () => {
    const { code, stderr } = await exposeSource("setInterval(() => {}, 1000); export const port = 80;");
    expect([code, stderr.split("\n").length]).toEqual([2, 2]);
  });

  it("that does not exist is named, with the one that was meant", async () => {
    const folder = makeFolder("module");
    writeFileSync(join(folder, "tools.ts"), "");
    mkdirSync(join(folder, "kit"));
    expect((await runHawser(["expose", join(folder, "tool")])).stderr).toMatch(/^hawser: there is no file .+tool, looked for it in .+\n$/);
    expect((await runHawser(["expose", join(folder, "tools")])).stderr).toMatch(
      /^hawser: there is no file .+tools; did you mean .+tools\.ts\?\n$/,
    );
    expect((await runHawser(["expose", join(folder, "kit")])).stderr).toMatch(/^hawser: .+kit is a directory; name the module in it\n$/);
  });

  it("in TypeScript, on a Node that can't run it, is refused with the version that can", async () => {
    const pretend = `data:text/javascript,Object.defineProperty(process.features,"typescript",{value:false})`;
    const { code, stderr } = await exposeSource("", "tools.ts", ["--import", pretend]);
    expect([code, stderr.split("\n").length]).toEqual([2, 2]);
    expect(stderr).toContain(
      `tools.ts is TypeScript, which Node ${process.versions.node} can't run; use Node 22.18 or newer, or a .js file\n`,
    );
  });
});
