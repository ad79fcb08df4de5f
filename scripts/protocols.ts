// Writes everything that is generated from definitions: for each protocol its JSON Schema, its
// reference page and its golden messages; the pages of limits, error codes and rules for ACP agents; and what the architecture's pages say
// of packages, folders and files.
//   node scripts/protocols.ts            writes what differs
//   node scripts/protocols.ts --check    changes nothing; exit 1 and a list when something differs
//   node scripts/protocols.ts --release  also freezes the present schemas as the compatibility baseline

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { acpRulesPage } from "./protocols/acp-rules-page.ts";
import { architecturePages } from "./protocols/architecture-pages.ts";
import { findBreaks } from "./protocols/compatibility.ts";
import { errorsPage, limitsPage, protocolPage } from "./protocols/pages.ts";
import { toSchemaDocument, type SchemaDocument } from "./protocols/schema-document.ts";
import { protocols } from "./protocols/list.ts";

const root = join(import.meta.dirname, "..");

function generate(): Map<string, string> {
  const files = new Map<string, string>();
  for (const { definition } of protocols) {
    const examples = [definition.requests, definition.responses].flatMap(({ messages }) =>
      Object.values(messages).flatMap((message) => message.examples),
    );
    files.set(`packages/protocol/schemas/${definition.name}.json`, `${JSON.stringify(toSchemaDocument(definition), null, 2)}\n`);
    files.set(`packages/protocol/fixtures/${definition.name}.ndjson`, examples.map((example) => `${JSON.stringify(example)}\n`).join(""));
    files.set(`docs/protocol/${definition.name}.md`, protocolPage(definition));
  }
  files.set("docs/limits.md", limitsPage());
  files.set("docs/errors.md", errorsPage());
  files.set("docs/protocol/acp-rules.md", acpRulesPage());
  for (const [path, content] of architecturePages()) files.set(path, content);
  return files;
}

const baselinePath = (name: string): string => `packages/protocol/schemas/baseline/${name}.json`;

function checkCompatibility(): string[] {
  return protocols.flatMap(({ definition }) => {
    const baseline = read(baselinePath(definition.name));
    if (baseline === undefined) return [`${baselinePath(definition.name)} is missing: npm run protocols -- --release`];
    return findBreaks(JSON.parse(baseline) as SchemaDocument, toSchemaDocument(definition)).map((line) => `${definition.name}: ${line}`);
  });
}

function read(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
}

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
  process.stdout.write(`wrote ${path}\n`);
}

const [option] = process.argv.slice(2);
const files = generate();
const stale = [...files].filter(([path, content]) => read(path) !== content);
if (option === "--release")
  for (const { definition } of protocols)
    write(baselinePath(definition.name), `${JSON.stringify(toSchemaDocument(definition), null, 2)}\n`);
const problems = checkCompatibility();
if (option === "--check") problems.push(...stale.map(([path]) => `${path} differs from its definition: npm run protocols`));
else for (const [path, content] of stale) write(path, content);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
