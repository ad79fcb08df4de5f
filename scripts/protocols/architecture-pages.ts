// The parts of the documentation that say how the packages are built, from the import table, the manifests and the
// opening comments of the files: a page for each package, and tables inside pages that people write.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { folders } from "../architecture/folder-table.ts";
import { packageImports } from "../architecture/import-table.ts";
import { descriptionOf, folderOf, openingSentence, packageNames, root, sourcesOf } from "../architecture/sources.ts";

/** Every page that has something to do with the architecture, as it should be. */
export function architecturePages(): [path: string, content: string][] {
  return [
    ...packageNames.map((name): [string, string] => [`docs/architecture/${name}.md`, packagePage(name)]),
    ["docs/architecture.md", fillIn("docs/architecture.md")],
    ["CONTRIBUTING.md", fillIn("CONTRIBUTING.md")],
  ];
}

const regions: Readonly<Record<string, (name: string) => string>> = {
  packages: packageTable,
  folders: folderTable,
  layout,
};

/** A page with its marked regions written anew: `<!-- generated: folders agent -->` to `<!-- end -->`. */
function fillIn(path: string): string {
  const page = readFileSync(join(root, path), "utf8");
  return page.replaceAll(
    /(?<=<!-- generated: (\w+)(?: ([\w-]+))? -->\n).*?(?=<!-- end -->)/gs,
    (_, region: string, name = "") => `\n${regions[region]?.(name) ?? ""}\n\n`,
  );
}

const otherFolders: Readonly<Record<string, string>> = {
  "apps/desktop": "The desktop app: a thin process in Rust, and its tests",
  bench: "Comparisons with other libraries",
  clients: "Tests with real MCP clients, and the versions of those clients",
  docs: "What users and developers read",
  examples: "Programs that the documentation shows",
  scripts: "The tasks behind the npm scripts, generators, our lint rules",
  test: "Suites about more than one package and about the repository itself; in `test/kit` what the tests of several packages share",
};

function layout(): string {
  const packages = packageNames.map((name): [string, string] => [`packages/${name}`, descriptionOf(name)]);
  const lines = [...packages, ...Object.entries(otherFolders)].map(([folder, holds]) => `${folder.padEnd(22)}${holds}`);
  return ["```", ...lines, "```"].join("\n");
}

function packageTable(): string {
  const rows = Object.entries(packageImports).map(([name, imports]) => {
    const own = imports.filter((specifier) => specifier.startsWith("@hawser/")).map((specifier) => specifier.replace("@hawser/", ""));
    const foreign = imports.filter((specifier) => !specifier.startsWith("@hawser/"));
    return [`[\`${name}\`](architecture/${name}.md)`, descriptionOf(name), own.join(", "), foreign.join(", ")];
  });
  return table([["package", "what it holds", "imports of ours", "imports of others"], ...rows]);
}

function folderTable(name: string): string {
  const rows = Object.entries(folders)
    .filter(([folder]) => folder.startsWith(`${name}/`))
    .map(([folder, { holds, imports }]) => [
      `\`${folder}\``,
      holds,
      imports.map((path) => (path === name ? "its package's own files" : path.slice(name.length + 1))).join(", "),
    ]);
  return table([["folder", "what it holds", "may import"], ...rows]);
}

function packagePage(name: string): string {
  const byFolder = Map.groupBy(sourcesOf(name), folderOf);
  const own = byFolder.get(name) ?? [];
  const sections = Object.keys(folders).filter((folder) => folder.startsWith(`${name}/`));
  return [
    `<!-- Generated from the files' opening comments by npm run protocols; do not edit. -->\n\n`,
    `# The files of \`packages/${name}\`\n\n${descriptionOf(name)}. How they work together: [architecture](../architecture.md).\n\n`,
    fileTable(own, `packages/${name}/src`),
    ...sections.map(
      (folder) =>
        `\n## \`${folder.slice(name.length + 1)}\`: ${folders[folder]?.holds}\n\n${fileTable(byFolder.get(folder) ?? [], `packages/${name}/src${folder.slice(name.length)}`)}`,
    ),
  ].join("");
}

function fileTable(files: readonly string[], folder: string): string {
  const rows = files.map((file) => `| \`${file.slice(folder.length + 1)}\` | ${openingSentence(file).replaceAll("|", "\\|")} |\n`);
  return `| file | what it is |\n| --- | --- |\n${rows.join("")}`;
}

/** As the formatter writes a table. */
function table(rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = (escaped[0] ?? []).map((_, column) => Math.max(...escaped.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]): string => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = escaped;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}
