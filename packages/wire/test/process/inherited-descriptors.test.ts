// A child that is to be contained gets nothing that was left open by the program which started us.

import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fixturePath } from "./real-programs.ts";

it.runIf(process.platform === "linux")(
  "a child with input of its own on descriptor 3 inherits no descriptor that we have inherited",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "hawser-heir-"));
    const left = openSync(join(folder, "secret"), "w+");
    // Far above those that Node looks at when it starts.
    const stdio = Array.from({ length: 60 }, (_, at) => (at < 3 ? "pipe" : at === 59 ? left : "ignore"));
    const run = (...args: string[]): string =>
      execFileSync(process.execPath, ["--conditions=hawser-source", fixturePath("process-heir.ts"), ...args], { encoding: "utf8", stdio });
    try {
      expect(run()).toContain(join(folder, "secret"));
      const contained = run("--contained");
      expect(contained).not.toContain("secret");
      expect(contained).toContain("for descriptor 3");
    } finally {
      closeSync(left);
      rmSync(folder, { recursive: true });
    }
  },
);
