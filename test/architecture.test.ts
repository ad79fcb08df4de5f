// Boundaries are tests, not intentions: every import of every source file is compared with the tables of
// `scripts/architecture`. A new arrow, a new folder or a new third-party dependency is added there first.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { folders } from "../scripts/architecture/folder-table.ts";
import { neutralEntries, packageImports } from "../scripts/architecture/import-table.ts";
import { folderOf, importsOf, ownImportsOf, packageNames, root, sourcesOf } from "../scripts/architecture/sources.ts";

// What a page is made of is inside its bundle; whoever installs the package needs none of it.
const isBundled = (file: string): boolean => /^packages.shell.src.page\W/.test(file);

describe("import table", () => {
  it("has a row for every package", () => {
    expect(packageNames).toEqual(Object.keys(packageImports).toSorted());
  });

  it.each(packageNames)("packages/%s imports only what its row allows", (name) => {
    const foreign = sourcesOf(name).flatMap((file) =>
      importsOf(file)
        .filter(
          (specifier) =>
            !specifier.startsWith(".") && !specifier.startsWith("node:") && !packageImports[name]?.includes(withoutInternal(specifier)),
        )
        .map((specifier) => `${file}: ${specifier}`),
    );
    expect(foreign).toEqual([]);
  });

  it.each(packageNames)("packages/%s reaches no other package by a relative path", (name) => {
    const escapes = sourcesOf(name).flatMap((file) =>
      importsOf(file)
        .filter((specifier) => specifier.startsWith(".") && relative(`packages/${name}`, join(dirname(file), specifier)).startsWith(".."))
        .map((specifier) => `${file}: ${specifier}`),
    );
    expect(escapes).toEqual([]);
  });

  it.each(packageNames)("packages/%s declares exactly the packages that its sources import", (name) => {
    const manifest = JSON.parse(readFileSync(join(root, `packages/${name}/package.json`), "utf8")) as {
      dependencies?: Record<string, string>;
      peerDependencies?: Record<string, string>;
      devDependencies?: Record<string, string>;
      optionalDependencies?: Record<string, string>;
    };
    // The command line is published as a bundle; only what is optional stays outside of it.
    const { dependencies, peerDependencies, devDependencies, optionalDependencies } = manifest;
    const declared = name === "hawser" ? { ...devDependencies, ...optionalDependencies } : { ...dependencies, ...peerDependencies };
    const used = new Set(
      sourcesOf(name)
        .filter((file) => !isBundled(file))
        .flatMap(importsOf)
        .filter((specifier) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
        .map(packageOf),
    );
    expect(Object.keys(declared ?? {}).toSorted()).toEqual([...used].toSorted());
  });

  it("the published command line depends on nothing but what is optional", () => {
    const manifest = JSON.parse(readFileSync(join(root, "packages/hawser/package.json"), "utf8")) as {
      dependencies?: Record<string, string>;
      peerDependencies: Record<string, string>;
      peerDependenciesMeta: Record<string, { optional: boolean }>;
    };
    expect(manifest.dependencies).toBeUndefined();
    for (const name of Object.keys(manifest.peerDependencies)) expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true });
  });
});

/** Who may import an entry may also import what it keeps for its siblings: `@hawser/wire/internal/node` goes with `@hawser/wire/node`. */
const withoutInternal = (specifier: string): string => specifier.replace(/^(@hawser\/[^/]+)\/internal/, "$1");

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

describe("walls between folders", () => {
  it("stand around folders that exist", () => {
    const gone = Object.keys(folders).filter((folder) => !existsSync(join(root, "packages", folder.replace("/", "/src/"))));
    expect(gone).toEqual([]);
  });

  it.each(packageNames)("packages/%s has a row for every folder", (name) => {
    const without = sourcesOf(name).filter((file) => folderOf(file) !== name && !(folderOf(file) in folders));
    expect(without, "add the folder to scripts/architecture/folder-table.ts").toEqual([]);
  });

  it.each(packageNames)("files of packages/%s import only from folders that their row names", (name) => {
    const through = sourcesOf(name)
      .filter((file) => folderOf(file) !== name)
      .flatMap((file) =>
        ownImportsOf(file)
          .filter((target) => folderOf(target) !== folderOf(file) && !folders[folderOf(file)]?.imports.includes(folderOf(target)))
          .map((target) => `${file} imports ${target}`),
      );
    expect(through).toEqual([]);
  });
});

describe("runtime-neutral entries", () => {
  it.each(neutralEntries)("%s reaches no module and no global of Node", (entry) => {
    const seen = new Set<string>();
    const problems: string[] = [];
    function visit(file: string): void {
      if (seen.has(file)) return;
      seen.add(file);
      const code = readFileSync(join(root, file), "utf8").replaceAll(/\/\/.*$/gm, "");
      if (/\b(?:process|Buffer|setImmediate|__dirname)\b\s*[.([]/.test(code)) problems.push(`${file} uses a global of Node`);
      for (const specifier of importsOf(file)) {
        if (specifier.startsWith("node:")) problems.push(`${file} imports ${specifier}`);
        else if (specifier.startsWith(".")) visit(join(dirname(file), specifier));
      }
    }
    visit(entry);
    expect(problems).toEqual([]);
    expect(seen.size).toBeGreaterThan(5);
  });
});
