// Names of files for a user who types one: the best first, and nothing that the rules keep back.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { createPolicy } from "../../src/permissions/create-policy.ts";
import { createFindFiles } from "../../src/tools/find-files.ts";
import { createToolStage } from "./tool-stage.ts";

const stage = await createToolStage();
afterAll(() => stage.remove());
const { root, roots } = stage;
const { signal } = new AbortController();

function write(...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "x");
  }
}

const find = async (query: string, options: Parameters<typeof createPolicy>[0] = {}): Promise<readonly string[]> =>
  (await createFindFiles({ roots, policy: createPolicy({ ...options, roots }) })(query, signal)).files;

it("those whose name begins with the text come first, then those that hold it, then those below a folder that does", async () => {
  write("docs/old-berths.md", "berths/plan.txt", "src/Berths.ts");
  expect(await find("BERTH")).toEqual(["berths/", "src/Berths.ts", "docs/old-berths.md", "berths/plan.txt"]);
  expect(await find("nothing has this")).toEqual([]);
});

it("without a text, what lies at the top", async () => {
  write("src/deep.ts");
  const top = await find("");
  expect(top).toContain("src/");
  expect(top).toContain("inside.txt");
  expect(top.some((name) => name.slice(0, -1).includes("/"))).toBe(false);
});

it("what the rules deny, what links lead to, and what tools make for themselves is not named", async () => {
  write("secret/key.pem", "node_modules/key.js", ".git/key", "key.txt");
  symlinkSync(stage.outside, join(root, "key-link"));
  const rules = [{ tool: "list_files", match: { path: "secret/**" }, decision: "deny" }] as const;
  const found = await find("key", { rules: [...rules, { tool: "list_files", match: { path: "secret" }, decision: "deny" }] });
  expect(found).toEqual(["key.txt"]);
  expect(await find("canary")).toEqual([]);
  expect(await find("key", { rules: [{ tool: "*", decision: "deny" }] })).toEqual([]);
});

it("is bounded in names and in time, and says that there is more", async () => {
  write(...Array.from({ length: 80 }, (_, at) => `many/ship-${at}.txt`));
  const { foundFilesMs } = agentLimits;
  onTestFinished(() => void Object.assign(agentLimits, { foundFilesMs }));
  Object.assign(agentLimits, { foundFilesMs: 60_000 });
  const findFiles = createFindFiles({ roots, policy: createPolicy({ roots }) });
  const { files, isCut } = await findFiles("ship", signal);
  expect([files.length, isCut]).toEqual([agentLimits.foundFileEntries, true]);
  Object.assign(agentLimits, { foundFilesMs: -1 });
  const hurried = await findFiles("ship", signal);
  expect([hurried.files.length <= 1, hurried.isCut]).toEqual([true, true]);
});
