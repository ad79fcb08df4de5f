// Which program is really run where npx stands before it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { toDirectCommand } from "../src/conform/direct-command.ts";

const root = mkdtempSync(join(tmpdir(), "hawser-cli-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const bin = join(root, "node_modules", ".bin");
const inner = join(root, "packages", "inner");
mkdirSync(bin, { recursive: true });
mkdirSync(inner, { recursive: true });
writeFileSync(join(bin, "ship"), "");

describe("a command", () => {
  it("that npx would find here or further up is run directly, with its folder first on the PATH", () => {
    expect(toDirectCommand(["npx", "ship", "sail", "--fast"], inner, { PATH: "/usr/bin" })).toEqual({
      command: join(bin, "ship"),
      args: ["sail", "--fast"],
      env: { PATH: `${bin}${delimiter}/usr/bin` },
      note: `runs ${join(bin, "ship")} itself, since npx does not pass signals on`,
    });
  });

  it.each([
    [["npx", "nowhere"], "npx does not pass"],
    [["npx", "--yes", "ship"], "npx does not pass"],
    [["npx", "../ship"], "npx does not pass"],
    [["npm", "exec", "ship"], "npm does not pass"],
    [["/usr/bin/pnpm", "ship"], "pnpm does not pass"],
  ] as const)("%j stays as it is, with a note", (words, note) => {
    const [command, ...args] = words;
    expect(toDirectCommand([...words], inner, {})).toMatchObject({ command, args, note: expect.stringContaining(note) as string });
  });

  it("without a runner stays as it is, without a word", () => {
    expect(toDirectCommand(["node", "ship.js"], inner, {})).toEqual({ command: "node", args: ["ship.js"], env: {} });
  });
});
