// Random schemas and values: our verdict is the one of another implementation.

import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createSchemaCheck } from "../src/json-schema/check-value.ts";

const name = fc.constantFrom("a", "b", "ab", "ba");
const size = fc.integer({ min: 0, max: 3 });
const pattern = fc.constantFrom("^a", "b$", "^(ab?)+$", "");

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 1.5, "", "a", "ab", "⛵"),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(name, tie("any"), { maxKeys: 3 }),
  ),
})).any;

const schema = fc.letrec<{ schema: unknown; list: unknown; map: unknown }>((tie) => ({
  list: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }),
  map: fc.dictionary(name, tie("schema"), { maxKeys: 3 }),
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.boolean(),
    fc.record(
      {
        type: fc.constantFrom("string", "integer", "number", "array", "object", "null", "boolean"),
        const: value,
        enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b) }),
        minimum: size,
        multipleOf: fc.constantFrom(1, 0.5),
        minLength: size,
        maxLength: size,
        pattern,
        minItems: size,
        uniqueItems: fc.boolean(),
        required: fc.uniqueArray(name),
        maxProperties: size,
      },
      { requiredKeys: [] },
    ),
    fc
      .record(
        {
          $ref: fc.constantFrom("#/$defs/a", "#/$defs/b", "#far"),
          allOf: tie("list"),
          anyOf: tie("list"),
          oneOf: tie("list"),
          not: tie("schema"),
          if: tie("schema"),
          else: tie("schema"),
          dependentSchemas: tie("map"),
          properties: tie("map"),
          patternProperties: fc.dictionary(pattern, tie("schema"), { maxKeys: 2 }),
          additionalProperties: tie("schema"),
          propertyNames: tie("schema"),
          unevaluatedProperties: tie("schema"),
          prefixItems: tie("list"),
          items: tie("schema"),
          contains: tie("schema"),
          minContains: size,
          maxContains: size,
          unevaluatedItems: tie("schema"),
        },
        { requiredKeys: [] },
      )
      // The other implementation wants the one with the other, and lets an empty list pass beside prefixItems.
      .map(({ contains, minContains, maxContains, ...rest }) =>
        contains === undefined || rest.prefixItems ? rest : { ...rest, contains, minContains, maxContains },
      ),
  ),
})).schema;

const $defs = { a: { $anchor: "far", type: ["string", "object"] }, b: { maxItems: 2, properties: { a: { $ref: "#far" } } } };

it("SEC-06: any schema and any value get the verdict of another implementation", async () => {
  await fc.assert(
    fc.asyncProperty(schema, fc.array(value, { minLength: 6, maxLength: 12 }), async (one, made) => {
      // As they come over a wire: no member without a value, no object without a prototype.
      const [whole, values] = JSON.parse(JSON.stringify([{ $defs, allOf: [one] }, made])) as [object, unknown[]];
      const other = new Ajv2020({ strict: false, logger: false }).compile(whole);
      const check = createSchemaCheck(whole);
      const verdicts = await Promise.all(values.map(async (value) => ((await check(value)) ?? []).length === 0));
      expect(verdicts).toEqual(values.map((value) => other(value)));
    }),
    { numRuns: 25, seed: 2020 },
  );
});
