// What the rehearsal of a release finds wrong with manifests and licences. The whole of it is `npm run release:check`.

import { expect, it } from "vitest";
import { findManifestProblems, listLicences } from "../../scripts/tasks/release-check.ts";
import { createTempTree } from "./temp-tree.ts";

const sound = { version: "1.0.0", license: "MIT", engines: { node: ">=22" }, publishConfig: { access: "public", provenance: true } };

it("every package has the version of the others, needs them in it, and says how it is published", () => {
  expect(
    findManifestProblems([
      { ...sound, name: "a" },
      { ...sound, name: "b", dependencies: { a: "1.0.0", other: "7.0.0" } },
    ]),
  ).toEqual([]);
  const wrong = { name: "b", version: "1.0.1", dependencies: { a: "1.0.0" } };
  expect(findManifestProblems([{ ...sound, name: "a" }, wrong])).toEqual([
    "b: its version is 1.0.1, that of a 1.0.0",
    "b: it needs a 1.0.0 and is 1.0.1",
    "b: it has no license",
    "b: engines.node is missing",
    "b: publishConfig.access is not public",
    "b: publishConfig.provenance is not switched on",
  ]);
});

it("every installed package is listed with its licence, and one that wants a look is named", () => {
  const tree = createTempTree();
  const add = (path: string, manifest: object): void =>
    tree.write(`project/node_modules/${path}/package.json`, JSON.stringify({ version: "1.0.0", ...manifest }));
  add("a", { name: "a", license: "MIT" });
  add("@scope/b", { name: "@scope/b", license: "(AFL-2.1 OR BSD-3-Clause)" });
  add("a/node_modules/c", { name: "c", license: "SSPL-1.0" });
  add("d", { name: "d" });
  add("a/lib", { name: "not a package", license: "GPL-3.0" });
  expect(listLicences(tree.path("project"))).toEqual({
    lines: ["(AFL-2.1 OR BSD-3-Clause)\t@scope/b 1.0.0", "MIT\ta 1.0.0", "SSPL-1.0\tc 1.0.0", "none\td 1.0.0"],
    problems: ["SSPL-1.0\tc 1.0.0", "none\td 1.0.0"],
  });
});
