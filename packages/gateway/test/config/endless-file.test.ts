// Paths that lead to something without an end: it is left alone after as many bytes as are allowed.

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/config-file.ts";
import { resolveTarget } from "../../src/config/resolve-target.ts";
import { freshHome } from "../core-fixture.ts";

describe.runIf(process.platform !== "win32")("files without an end", () => {
  it("G10 a token file that never ends is refused", async () => {
    const options = { gatewayUrl: "http://127.0.0.1:1", apiKeyFile: "/dev/zero", env: { HOME: freshHome() } };
    await expect(resolveTarget(options)).rejects.toThrow("/dev/zero is longer than a token");
  });

  it("G10 a configuration file that never ends is refused", async () => {
    const home = freshHome();
    mkdirSync(join(home, "igw"));
    symlinkSync("/dev/zero", join(home, "igw", "config.json"));
    await expect(loadConfig({ HOME: home, XDG_CONFIG_HOME: home })).rejects.toThrow("is larger than");
  });
});
