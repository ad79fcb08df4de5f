// Which test files may share a process: those that neither they nor what they import of the tests keeps from it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sharesProcess } from "../../scripts/tasks/shared-process.ts";
import { repository } from "./temp-tree.ts";

function shares(files: Readonly<Record<string, string>>): boolean {
  const root = mkdtempSync(join(tmpdir(), "hawser-shared-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return sharesProcess(root, "packages/a/test/a.test.ts");
}

describe("a test file", () => {
  it.for([
    'import { readFileSync } from "node:fs";',
    "const isLinux = process.platform === 'linux';",
    "// process.env is not looked at here",
    "expect(limits.most).toBe(3); const most = limits.most;",
  ])("may share a process: %s", (text) => {
    expect(shares({ "packages/a/test/a.test.ts": text })).toBe(true);
  });

  it.for([
    'import { spawn } from "node:child_process";',
    'import { connect } from "node:net";',
    "process.env.A = '1';",
    "process.on('warning', () => {});",
    'import { expect, vi } from "vitest";',
    "wireLimits.maxHeldBytes = 5;",
    "Object.assign(wireLimits, { maxHeldBytes: 5 });",
    "globalThis.fetch = () => {};",
    "readdirSync('/proc/self/fd')",
  ])("has one of its own: %s", (text) => {
    expect(shares({ "packages/a/test/a.test.ts": text })).toBe(false);
  });

  it("has one of its own because of what it imports of the tests, however far, but not because of sources", () => {
    const first = 'import { b } from "./b.ts";\nimport { d } from "../src/d.ts";';
    const files = { "packages/a/test/a.test.ts": first, "packages/a/src/d.ts": 'import "node:net";' };
    expect(shares({ ...files, "packages/a/test/b.ts": 'import { c } from "./c.ts";', "packages/a/test/c.ts": "" })).toBe(true);
    expect(shares({ ...files, "packages/a/test/b.ts": 'import { c } from "./c.ts";', "packages/a/test/c.ts": "process.exit()" })).toBe(
      false,
    );
  });

  it("has one of its own when a helper registers a hook as it is loaded: it is loaded for the first file only", () => {
    const files = { "packages/a/test/a.test.ts": 'import { b } from "./b.ts";\nafterAll(() => {});' };
    expect(shares({ ...files, "packages/a/test/b.ts": "export const b = () => onTestFinished(() => {});" })).toBe(true);
    expect(shares({ ...files, "packages/a/test/b.ts": "afterAll(() => rmSync(home));\nexport const b = 1;" })).toBe(false);
  });
});

it("of this repository, those of queues do and those of processes do not", () => {
  expect(sharesProcess(repository, "packages/wire/test/flow/semaphore.test.ts")).toBe(true);
  expect(sharesProcess(repository, "packages/wire/test/process/child.test.ts")).toBe(false);
});
