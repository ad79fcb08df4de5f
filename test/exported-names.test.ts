// A name that users import means one thing, whichever entry they import it from: types and values, followed to the file that declares them.

import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../scripts/architecture/sources.ts";

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | { readonly "hawser-source"?: string }>>;
}

/** The files of all entries, by how they are imported. */
const entries = new Map<string, string>();
for (const path of globSync("packages/*/package.json", { cwd: root })) {
  const { name, exports = {} } = JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest;
  for (const [entry, target] of Object.entries(exports)) {
    const file = typeof target === "string" ? undefined : target["hawser-source"];
    if (file !== undefined) entries.set(join(name, entry), join(dirname(path), file));
  }
}

const listPattern = /^export (?:type )?\{([^}]*)\} from "([^"]+)"/gm;
const starPattern = /^export \* from "([^"]+)"/gm;
const declarationPattern = /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;

const fileOf = (from: string, specifier: string): string | undefined =>
  specifier.startsWith(".") ? join(dirname(from), specifier) : entries.get(specifier);

/** Each exported name with the file that declares it, or the foreign package that it comes from. */
function exportsOf(file: string): Map<string, string> {
  const text = readFileSync(join(root, file), "utf8");
  const names = new Map<string, string>();
  for (const [, name = ""] of text.matchAll(declarationPattern)) names.set(name, `${file}: ${name}`);
  for (const [, specifier = ""] of text.matchAll(starPattern)) {
    const target = fileOf(file, specifier);
    if (target !== undefined) for (const [name, origin] of exportsOf(target)) names.set(name, origin);
  }
  for (const [, list = "", specifier = ""] of text.matchAll(listPattern)) {
    const target = fileOf(file, specifier);
    const declared = target === undefined ? undefined : exportsOf(target);
    for (const item of list.split(",").map((each) => each.trim().replace(/^type /, ""))) {
      if (item === "") continue;
      const [inner = "", outer = inner] = item.split(" as ");
      names.set(outer, declared?.get(inner) ?? `${specifier}: ${inner}`);
    }
  }
  return names;
}

it("a name is exported for one thing only, in all entries that users import", () => {
  const origins = new Map<string, Set<string>>();
  for (const [entry, file] of entries) {
    if (entry.includes("/internal")) continue;
    for (const [name, origin] of exportsOf(file)) origins.set(name, (origins.get(name) ?? new Set()).add(origin));
  }
  expect(origins.size).toBeGreaterThan(100);
  expect([...origins].filter(([, of]) => of.size > 1).map(([name, of]) => [name, ...of])).toEqual([]);
});
