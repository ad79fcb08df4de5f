// Which folders an agent works in: those of the command line, else those of the file, else the current one.

import { join } from "node:path";
import { expect, it } from "vitest";
import { checkRoots } from "../../src/agent/compose-agent.ts";
import { makeStage, writeFile } from "./agent-stage.ts";

it("--root replaces the roots of the file, which replace the current folder", async () => {
  const { folder, home, env } = makeStage({ "two/a": "" });
  const around = { env, cwd: folder };
  expect(await checkRoots({}, around)).toEqual([folder]);
  const config = join(home, "other.json");
  writeFile(config, JSON.stringify({ roots: ["one"] }));
  writeFile(join(home, "one", "a"), "");
  expect(await checkRoots({ config }, around)).toEqual([join(home, "one")]);
  expect(await checkRoots({ config, root: ["two"] }, around)).toEqual([join(folder, "two")]);
});
