// The generated pages of the documentation.

import { errorTable, type DirectionDefinition, type ProtocolDefinition } from "../../packages/protocol/src/internal.ts";
import { readLimitTables } from "./limit-tables.ts";
import { scenarioSection } from "./scenario-section.ts";
import { toSchemaDocument, type JsonSchema, type SchemaDocument } from "./schema-document.ts";

const notice = (source: string): string => `<!-- Generated from ${source} by npm run protocols; do not edit. -->\n\n`;

export function protocolPage(definition: ProtocolDefinition): string {
  const document = toSchemaDocument(definition);
  return [
    notice(`packages/protocol/src/${definition.name === "agent" ? "agent/protocol" : definition.name}.ts`),
    `# The ${definition.name} protocol, version ${definition.version}\n\n${definition.summary}\n\n`,
    "Every message is one JSON object. Fields that are not listed here may be added and must be ignored.\n",
    `\n## How messages travel\n\n${definition.conversation.map((line) => `- ${line}\n`).join("")}`,
    directionSection("Requests", definition.requests, document),
    directionSection("Responses", definition.responses, document),
    scenarioSection(definition.name),
  ].join("");
}

function directionSection(title: "Requests" | "Responses", direction: DirectionDefinition, document: SchemaDocument): string {
  const messages = Object.entries(direction.messages).map(([name, message]) => {
    const examples = message.examples.map((example) => JSON.stringify(example)).join("\n");
    const schemas = title === "Requests" ? document.requests : document.responses;
    const answer = title === "Requests" ? document.answers?.[name] : undefined;
    const answerTable = answer ? `\nIn \`data\` of its answer:\n\n${fieldTable(answer)}` : "";
    return `\n### \`${name}\`\n\n${message.summary}\n\n${fieldTable(schemas[name] ?? {})}${answerTable}\n\`\`\`json\n${examples}\n\`\`\`\n`;
  });
  return `\n## ${title}\n\n${direction.tag === null ? "A message is named by the member it has." : `The member \`${direction.tag}\` names the message.`}\n${messages.join("")}`;
}

function fieldTable(schema: JsonSchema): string {
  return `| field | type | required | meaning |\n| --- | --- | --- | --- |\n${fieldRows("", schema).join("")}`;
}

/** One row per field, those of nested objects below their owner; of several forms, each. */
function fieldRows(prefix: string, schema: JsonSchema): string[] {
  const required = new Set(schema.required);
  const forms = prefix === "" ? (schema.anyOf ?? []) : [];
  if (forms.length > 0) return forms.flatMap((form) => fieldRows(prefix, form));
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    `| \`${prefix}${name}\` | ${typeText(field)} | ${required.has(name) ? "yes" : "no"} | ${field.description ?? ""} |\n`,
    ...fieldRows(`${prefix}${name}.`, field),
  ]);
}

const typeText = (field: JsonSchema): string =>
  field.const === undefined ? String(field.type ?? "any") : `\`${JSON.stringify(field.const)}\``;

export function limitsPage(): string {
  const sections = readLimitTables().map(({ file, limits }) => {
    const rows = limits.map(({ name, value, reason }) => `| \`${name}\` | ${value.toLocaleString("en-US")} | ${reason} |\n`);
    return `\n## \`${file}\`\n\n| limit | default | reason |\n| --- | --- | --- |\n${rows.join("")}`;
  });
  return `${notice("packages/*/src/limits.ts")}# Limits\n\nEvery bound has one name, one default and one place: the package that keeps it. Names end in their unit.\n${sections.join("")}`;
}

export function errorsPage(): string {
  const rows = Object.entries(errorTable).map(
    ([code, row]) =>
      `| \`${code}\` | ${row.agentText} | \`${row.ipcType}\` | ${row.rpcCode} | ${row.jsonRpcCode} | ${row.exitCode} | ${"retryable" in row ? "yes" : "no"} |\n`,
  );
  return `${notice("packages/protocol/src/errors.ts")}# Errors\n\nOne code, and what it is called in each protocol.\n\n| code | agent error begins with | bridge \`type\` | rpc \`code\` | JSON-RPC code | exit code | worth a retry |\n| --- | --- | --- | --- | --- | --- | --- |\n${rows.join("")}`;
}
