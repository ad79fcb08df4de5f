// A key that must be meant, on a pseudo-terminal, where the process has no time to look in between.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { makeStage, runOnTerminal, writeFile } from "./agent-stage.ts";

const program = fileURLToPath(new URL("fixtures/asks-late.ts", import.meta.url));

it.runIf(process.platform === "linux")(
  "SEC-04: what was typed before a question is no answer, also where the process was busy",
  async () => {
    const stage = makeStage();
    const file = join(stage.folder, "ask");
    const running = runOnTerminal([process.execPath, program, file], stage);
    await running.printed("type something");
    running.process.stdin.write("y");
    // The terminal shows what has reached it.
    await running.printed("y");
    writeFile(file, "");
    await running.printed("asked");
    running.process.stdin.write("n");
    await running.printed("the answer is n");
    expect(await running.ended).toMatchObject({ code: 0 });
  },
);
