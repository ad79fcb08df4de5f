// A protocol's definition as one JSON document, for tools and for readers in other languages.

import { toJsonSchema } from "@valibot/to-json-schema";
import type { DirectionDefinition, MessageDefinition, ProtocolDefinition } from "../../packages/protocol/src/internal.ts";

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly [keyword: string]: unknown;
}

export interface SchemaDocument {
  readonly protocol: string;
  readonly version: string;
  /** What the peers call the protocol on the wire, if they do. */
  readonly family?: string;
  readonly requests: Readonly<Record<string, JsonSchema>>;
  readonly responses: Readonly<Record<string, JsonSchema>>;
  /** `data` of the answer to each request, where all answers share one envelope. */
  readonly answers?: Readonly<Record<string, JsonSchema>>;
}

export function toSchemaDocument(definition: ProtocolDefinition): SchemaDocument {
  const { name, version, family, requests, responses } = definition;
  const answers = toSchemas(requests, ({ answer }) => answer);
  return {
    protocol: name,
    version,
    ...(family !== undefined && { family }),
    requests: toSchemas(requests, ({ schema }) => schema),
    responses: toSchemas(responses, ({ schema }) => schema),
    ...(Object.keys(answers).length > 0 && { answers }),
  };
}

type SchemaOf = (message: MessageDefinition) => MessageDefinition["answer"];

function toSchemas(direction: DirectionDefinition, schemaOf: SchemaOf): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(direction.messages).flatMap(([name, message]) => {
      const schema = schemaOf(message);
      if (!schema) return [];
      const { $schema: _, ...document } = toJsonSchema(schema, { target: "draft-2020-12" });
      return [[name, document as unknown as JsonSchema]];
    }),
  );
}
