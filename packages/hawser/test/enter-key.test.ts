// The Enter key, in a real terminal with a real shell's jobs; and lines of a program.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { onEnter } from "../src/shell/enter-key.ts";

const program = `'${process.execPath}' --conditions=hawser-source '${join(import.meta.dirname, "fixtures/enter-key.ts")}'`;
const hasTerminals = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

/** A shell in a terminal of its own. */
function openTerminal() {
  const terminal = spawn("script", ["-qfc", "bash --norc --noprofile -i", "/dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, TERM: "dumb", HISTFILE: "/dev/null" },
  });
  const exited = once(terminal, "exit");
  let said = "";
  terminal.stdout.on("data", (chunk) => (said += String(chunk)));
  return {
    said: () => said,
    /** Types a line, and waits until something was said to it. */
    async type(line: string, answer: RegExp): Promise<void> {
      said = "";
      terminal.stdin.write(`${line}\n`);
      await expect.poll(() => said, { timeout: 60_000 }).toMatch(answer);
    },
    async [Symbol.asyncDispose]() {
      terminal.stdin.end("\u0003\nexit\n");
      terminal.kill();
      await exited;
    },
  };
}

describe.skipIf(!hasTerminals)("Enter in a terminal", () => {
  it("is heard in the foreground; in the background the program neither hears it nor is stopped by it", async () => {
    await using terminal = openTerminal();
    await terminal.type(program, /listening/);
    await terminal.type("", /pressed/);
    await terminal.type("\u001a", /Stopped/);
    await terminal.type("bg; echo back", /\nback/);
    await terminal.type("", /[#$] $/);
    await terminal.type("jobs -r | wc -l", /\n1\r/);
    expect(terminal.said()).not.toContain("pressed");
    await terminal.type("fg", /enter-key/);
    await expect.poll(() => terminal.type("", /pressed|^\r\n$/).then(terminal.said), { timeout: 60_000 }).toContain("pressed");
  });
});

describe("lines of a program", () => {
  it("are heard, once for those that come together, until it stops listening", () => {
    const input = new PassThrough();
    let pressed = 0;
    const stop = onEnter(input, () => pressed++);
    for (const text of ["\n", "no line yet", "\n\n\n"]) input.emit("data", Buffer.from(text));
    expect(pressed).toBe(2);
    stop();
    input.emit("data", Buffer.from("\n"));
    expect(pressed).toBe(2);
  });
});
