// Every dependency has an exact version: what a user gets is what was tested.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "./steps.ts";
import { root } from "./tool.ts";

const fields = ["dependencies", "devDependencies", "optionalDependencies"] as const;

type Manifest = Partial<Record<(typeof fields)[number], Record<string, string>>>;

export const exactVersionsStep: Step = {
  name: "exact versions",
  run() {
    const files = globSync(
      ["package.json", "apps/*/package.json", "packages/*/package.json", "bench/package.json", "clients/package.json"],
      { cwd: root },
    );
    const problems = files.flatMap((file) => {
      const manifest = JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest;
      const wanted = fields.flatMap((field) => Object.entries(manifest[field] ?? {}));
      return wanted.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version)).map(([name, version]) => `${file}: ${name} ${version}`);
    });
    return Promise.resolve({ status: problems.length === 0 ? "passed" : "failed", text: problems.join("\n") });
  },
};
