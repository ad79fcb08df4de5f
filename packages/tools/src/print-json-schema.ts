// JSON Schema of a validator. Most libraries print it themselves, by the Standard JSON Schema interface. Valibot leaves it
// to a package of its own, @valibot/to-json-schema. It is looked for when a plain valibot schema is met and not before,
// so that only programs that use one need it, and loaded synchronously, since a tool is checked where it is defined.

import { createRequire } from "node:module";
import { resolve } from "node:path";
import type { StandardSchema } from "./define-tool.ts";
import { HawserError } from "@hawser/protocol";

const target = "draft-2020-12";
const valibotPrinter = "@valibot/to-json-schema";

interface ValibotPrinter {
  toStandardJsonSchema(schema: StandardSchema): StandardSchema;
}

/** What the schema accepts, or undefined for a library that can't say it. Throws `usage` where a package is missing. */
export function printJsonSchema(schema: StandardSchema): Record<string, unknown> | undefined {
  const { jsonSchema, vendor } = schema["~standard"];
  if (jsonSchema) return withoutDialect(jsonSchema.input({ target }));
  if (vendor !== "valibot") return undefined;
  const printed = findValibotPrinter().toStandardJsonSchema(schema)["~standard"].jsonSchema?.input({ target });
  return printed && withoutDialect(printed);
}

function withoutDialect(printed: object): Record<string, unknown> {
  const { $schema: _, ...schema } = printed as Record<string, unknown>;
  return schema;
}

// As a dependency beside this package, or of the program that runs: strict package managers show each only its own.
function findValibotPrinter(): ValibotPrinter {
  for (const from of [import.meta.url, resolve(process.argv[1] ?? "program.js")]) {
    try {
      return createRequire(from)(valibotPrinter) as ValibotPrinter;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw new HawserError(
    "usage",
    `a plain valibot schema is shown to clients by the package ${valibotPrinter}, which was not found. npm install ${valibotPrinter}, or wrap the schema in its toStandardJsonSchema(…)`,
  );
}
