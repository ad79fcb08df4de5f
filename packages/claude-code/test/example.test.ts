// The example program, as a reader runs it: without a key.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { hasCli } from "../../../test/kit/claude-code/surroundings.ts";

const program = join(import.meta.dirname, "../../../examples/claude-code-model.ts");

describe.runIf(hasCli)("examples/claude-code-model.ts", () => {
  it(
    "runs against the scripted model, calls functions of its process and says what the documentation shows",
    { timeout: 180_000 },
    async () => {
      const env = { ...process.env, ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: undefined, AI_SDK_LOG_WARNINGS: "false" };
      const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--conditions=hawser-source", program, "--scripted"], {
        env,
      });
      expect(stderr).toBe("");
      expect(stdout.replace(/\$\d+\.\d{4}/, "$…")).toBe(
        [
          "request: There are 9 berths left.",
          "berths in this process: 9; turns: 2; cost: $…",
          "value: Valletta in Malta",
          "stream: At nine the tide is high.",
          "steps: 2",
          "",
        ].join("\n"),
      );
    },
  );
});
