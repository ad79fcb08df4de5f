// A protocol's definition as one JSON document, for tools and for readers in other languages.

import { toJsonSchema } from "@valibot/to-json-schema";
import type { DirectionDefinition, ProtocolDefinition } from "../../packages/wire/src/index.ts";

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

export interface SchemaDocument {
  readonly protocol: string;
  readonly version: string;
  readonly requests: Readonly<Record<string, JsonSchema>>;
  readonly responses: Readonly<Record<string, JsonSchema>>;
}

export function toSchemaDocument(definition: ProtocolDefinition): SchemaDocument {
  return {
    protocol: definition.name,
    version: definition.version,
    requests: toSchemas(definition.requests),
    responses: toSchemas(definition.responses),
  };
}

function toSchemas(direction: DirectionDefinition): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(direction.messages).map(([name, { schema }]) => {
      const { $schema: _, ...document } = toJsonSchema(schema, { target: "draft-2020-12" });
      return [name, document as unknown as JsonSchema];
    }),
  );
}
