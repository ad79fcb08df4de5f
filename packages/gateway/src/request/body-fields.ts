// The members of a body as parameters of their own, where the document says that the body is an object: JSON, a form
// or multipart. In JSON they get the type that the document gives them.

import type { OperationDescription } from "../openapi/operation.ts";
import { fieldsOf, isOpen, type Field } from "../openapi/schema-shape.ts";
import { contentTypeOf, essence, isJsonType } from "./body.ts";
import { allowsNull, toFieldValue } from "./check-values.ts";

export interface BodyFields {
  readonly fields: ReadonlyMap<string, Field>;
  /** Whether the body may have members that the document does not name. */
  readonly isOpen: boolean;
  /** A value as it goes into the body; undefined for null where the document does not know it. Throws `usage` for a wrong type. */
  toValue(name: string, value: unknown): unknown;
}

const formTypes = new Set(["application/x-www-form-urlencoded", "multipart/form-data"]);

/** `givenType` is the content type that the item asks for. Undefined where the body has no members that can be told. */
export function bodyFieldsOf(operation: OperationDescription, givenType: string | undefined): BodyFields | undefined {
  const type = essence(givenType ?? contentTypeOf(operation, {}));
  const media = operation.requestBody?.media.find(({ contentType }) => essence(contentType) === type);
  const isJson = isJsonType(type);
  if (!media || (!isJson && !formTypes.has(type))) return undefined;
  const shape = { schema: media.schema, definitions: operation.definitions };
  const fields = fieldsOf(shape);
  if (!fields) return undefined;
  return {
    fields,
    isOpen: isOpen(shape),
    toValue(name, value) {
      const field = fields.get(name);
      if (value === null) return field && isJson && allowsNull(field.shape) ? null : undefined;
      return field && isJson ? toFieldValue(field.shape, value, `body field ${name}`) : value;
    },
  };
}
