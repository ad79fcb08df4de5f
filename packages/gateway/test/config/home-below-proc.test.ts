// Where no folder can be made for configuration or cache, that is said at once and by name.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { changeConfig, saveConfig } from "../../src/config/config-file.ts";
import { loadIndexFile } from "../../src/document/document-file.ts";
import { freshHome } from "../core-fixture.ts";
import { documentOf } from "../openapi/documents.ts";

describe.runIf(existsSync("/proc/self"))("a home below /proc", () => {
  const env = { HOME: "/proc/self" };

  it("is refused as a place of the configuration, and does not hang", async () => {
    const refusal = "folder of the configuration file /proc/self/.config/igw/config.json can't be made (ENOENT)";
    await expect(changeConfig((config) => config, env)).rejects.toMatchObject({ message: refusal, facts: { kind: "config" } });
    await expect(saveConfig({}, env)).rejects.toMatchObject({ message: refusal });
  });

  it("is no place for a cache, and the document is read without one", async () => {
    const path = join(freshHome(), "api.json");
    writeFileSync(path, documentOf({ "/a": { get: { operationId: "a" } } }));
    expect((await loadIndexFile(path, env))?.operations).toHaveLength(1);
  });
});
