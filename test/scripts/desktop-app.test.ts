// The app that the tests in its window drive is the one of the package. Without it there is nothing to test,
// and that is a failure: nothing tested is not all well.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { unpackedApp } from "../../scripts/tasks/desktop-app.ts";

it("is found in the package that was made, and missing it is a failure", () => {
  const folder = mkdtempSync(join(tmpdir(), "hawser-target-"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  vi.stubEnv("CARGO_TARGET_DIR", folder);
  expect(unpackedApp).toThrow(`there is no unpacked Debian package with the app below ${join(folder, "release", "bundle")}`);
  const programs = join(folder, "release", "bundle", "deb", "Hawser_0.1.0_amd64", "data", "usr", "bin");
  mkdirSync(programs, { recursive: true });
  writeFileSync(join(programs, "hawser-desktop"), "");
  expect(unpackedApp()).toBe(join(programs, "hawser-desktop"));
});
