// A word that must be meant, on a pseudo-terminal, where the process has no time to look in between.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { makeStage, runOnTerminal, writeFile } from "./agent-stage.ts";

const program = fileURLToPath(new URL("fixtures/asks-late.ts", import.meta.url));

describe.runIf(process.platform === "linux").concurrent("SEC-04 G17 an answer on a terminal", () => {
  it.each([
    ["a line", "yes\r", ["no\r"]],
    ["the beginning of one, whose rest would be a word", "I say ", ["yes\r", "no\r"]],
    ["nothing, but several lines come at once", "", ["well\ryes\ryes\r", "no\r"]],
    ["nothing, but a sentence comes first", "", ["yes, if it must be\r", "a\r", "no\r"]],
  ])("is none where what was typed before the question is %s, also where the process was busy", async (_what, before, after) => {
    const stage = makeStage();
    const file = join(stage.folder, "ask");
    const running = runOnTerminal([process.execPath, program, file], stage);
    await running.printed("type something");
    running.process.stdin.write(before);
    // The terminal shows what has reached it.
    if (before !== "") await running.printed(before.trim());
    writeFile(file, "");
    await running.printed("asked");
    for (const [at, words] of after.entries()) {
      await running.printed("or always? ");
      running.process.stdin.write(words);
      if (at < after.length - 1) await running.printed("Not an answer.");
    }
    await running.printed('the answer is {"decision":"deny","via":"word"}');
    expect(await running.ended).toMatchObject({ code: 0 });
  });
});
