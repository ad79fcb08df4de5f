// What a shell would take for more than text, some hundreds of it, as arguments and as the command itself:
// arguments arrive letter by letter, and nothing else is run.

import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createToolStage, type ToolStage } from "./tool-stage.ts";

const node = process.execPath;
const wrappers = [
  "; #",
  "| #",
  "|| #",
  "& #",
  "&& #",
  "`#`",
  "$(#)",
  "\\n#",
  "\\r\\n#",
  "'; #; '",
  '"; #; "',
  "$(#",
  "${IFS}#",
  ";#;",
  "|#|",
  "<(#)",
  ">(#)",
  "%0a#",
  "%0a%0d#",
  "{#,}",
  "() { :;}; #",
  "*; #",
  "--option=$(#)",
  "-e #",
  "@#",
  "^& #",
  "%COMSPEC% /c #",
  "\\$(#)",
  "\\`#\\`",
  "x\\\n#",
  "\u2028#",
  "!#",
  "~/$(#)",
  "a=b #",
  "$((#))",
  "eval #",
  "exec #",
  ". #",
  "source #",
  "<<< #",
  "2>&1; #",
  "\u0085#",
  "\u001b]0;#\u0007",
];
const commands = ["touch canary", "/usr/bin/touch canary", "sh -c 'touch canary'", "touch${IFS}canary", "t''ouch canary", "{touch,canary}"];
const positions = ["", "inside.txt"];

const payloads = wrappers.flatMap((wrapper) =>
  commands.flatMap((command) => positions.map((start) => start + wrapper.replace("#", command))),
);

describe("CMD-01 command injection", () => {
  let stage: ToolStage;
  beforeAll(async () => {
    stage = await createToolStage({ allowedCommands: [node, "echo"] });
  });
  afterAll(() => stage.remove());

  it("CMD-01: hundreds of payloads as arguments arrive letter by letter, and nothing else runs", async () => {
    expect(payloads.length).toBeGreaterThan(500);
    const before = readdirSync(stage.root);
    const code = "process.stdout.write(JSON.stringify(process.argv.slice(1)))";
    for (let at = 0; at < payloads.length; at += 60) {
      const args = payloads.slice(at, at + 60);
      const result = await stage.run("run_command", { command: node, args: ["-e", code, "--", ...args] });
      expect(JSON.parse(String(result["stdout"]))).toEqual(args);
    }
    expect(readdirSync(stage.root)).toEqual(before);
  });

  it("CMD-01: each of them as the only argument of a program is that argument", async () => {
    for (const payload of payloads.filter((_, index) => index % 8 === 0)) {
      const result = await stage.run("run_command", { command: "echo", args: ["x", payload] });
      expect(result["stdout"]).toBe(`x ${payload}\n`);
    }
    expect(readdirSync(stage.root)).toEqual(["inside.txt", "src"]);
  });

  it("CMD-01: none of them is a command, alone or behind an allowed one", async () => {
    for (const payload of payloads) {
      for (const command of [payload, `echo${payload}`, `echo ${payload}`, `${node} ${payload}`]) {
        expect(await stage.fails("run_command", { command, args: [] })).toMatch(/is not allowed; allowed are|contains a NUL/);
      }
    }
    for (const command of ["touch", "/bin/echo", "./echo", "ECHO", "echo ", " echo", "../echo", "echo\n", ""]) {
      expect(await stage.fails("run_command", { command, args: [] })).toContain("is not allowed");
    }
    expect(readdirSync(stage.root)).toEqual(["inside.txt", "src"]);
  });
});
