// `list_files` and `list_folders`: names for a host to offer while its user types.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { openStage } from "./stage.ts";

const base = mkdtempSync(join(tmpdir(), "hawser-folders-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
for (const name of ["harbour", "harmony", "tides", ".hidden"]) mkdirSync(join(base, name));
writeFileSync(join(base, "harvest.txt"), "x");
symlinkSync(join(base, "tides"), join(base, "harp"));

async function ask(request: object): Promise<readonly unknown[]> {
  const stage = openStage();
  stage.send({ id: "q", ...request });
  await stage.endOf("q");
  await stage.close();
  const said: unknown[] = [];
  for (const response of stage.responses) {
    if (response.type === "files" || response.type === "folders") said.push(response.data);
    if (response.type === "error") said.push(response.error);
  }
  return said;
}

const foldersAt = async (path: string): Promise<unknown> => (await ask({ kind: "list_folders", path }))[0];

it("folders are those whose path begins with what is typed, without files, links and hidden ones", async () => {
  expect(await foldersAt(join(base, "HAR"))).toEqual({ folders: [join(base, "harbour"), join(base, "harmony")] });
  expect(await foldersAt(`${base}/`)).toEqual({ folders: ["harbour", "harmony", "tides"].map((name) => join(base, name)) });
  expect(await foldersAt(join(base, ".h"))).toEqual({ folders: [join(base, ".hidden")] });
});

it("what is no path yet, or leads nowhere, has no folders; what is no path at all is refused", async () => {
  expect(await foldersAt("har")).toEqual({ folders: [] });
  expect(await foldersAt(join(base, "nowhere/x"))).toEqual({ folders: [] });
  expect(await foldersAt(`/${"x".repeat(agentLimits.maxPathBytes)}`)).toContain('"path" is longer than');
  expect(await foldersAt("/a\0b")).toContain("holds a zero");
});

it("files of a workspace that finds none are none", async () => {
  expect(await ask({ kind: "list_files", conversationId: "c1", query: "x" })).toEqual([{ conversationId: "c1", files: [] }]);
  expect(await ask({ kind: "list_files", conversationId: "c1", query: "\0" })).toEqual([expect.stringContaining("holds a zero")]);
});
