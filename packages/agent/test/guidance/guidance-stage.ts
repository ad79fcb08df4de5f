// A repository with a root below its top, a home, and what files there tell the model.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import type { FileRules } from "../../src/guidance/file-rules.ts";
import { createGuidance, type Guidance } from "../../src/guidance/guidance.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "hawser-guidance-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Stage {
  /** A repository, with a root below its top. */
  readonly top: string;
  readonly root: string;
  readonly home: string;
  readonly guidance: Guidance;
  write(path: string, text: string | Buffer): void;
  /** After what was written. */
  look(): Promise<ReturnType<Guidance["status"]>>;
}

interface StageOptions {
  readonly isTrusted?: boolean;
  readonly rulingOn?: FileRules;
}

export function makeStage({ isTrusted = true, rulingOn = () => undefined }: StageOptions = {}): Stage {
  const folder = mkdtempSync(join(base, "stage-"));
  const [top, root, home] = [join(folder, "repository"), join(folder, "repository/packages/one"), join(folder, "home")];
  for (const each of [join(top, ".git"), root, home]) mkdirSync(each, { recursive: true });
  const own = { instructions: [join(home, "own")], skills: [join(home, "skills")] };
  const guidance = createGuidance({ own, roots: [{ folder: root, isTrusted }], rulingOn });
  return {
    top,
    root,
    home,
    guidance,
    write(path, text) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    },
    async look() {
      await guidance.refresh();
      return guidance.status();
    },
  };
}

export const skillOf = (name: string, description = "Does it."): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n`;

export const pathsOf = ({ instructions = [] }: ReturnType<Guidance["status"]>): string[] => instructions.map(({ path }) => path);
export const reasonsOf = ({ leftOut = [] }: ReturnType<Guidance["status"]>): string => leftOut.map(({ reason }) => reason).join("; ");

/** A rule against files whose path ends so, for each tool or for one. */
export const ruling =
  (decision: "ask" | "deny", end: string, tool?: string): FileRules =>
  (toolName, paths) =>
    toolName === (tool ?? toolName) && paths.some((path) => path.endsWith(end))
      ? { decision, reason: `the rule says ${decision}` }
      : undefined;
