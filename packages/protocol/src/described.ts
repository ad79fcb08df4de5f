// What the definitions of the protocols are made of: schemas with the sentence that the reference page shows.

import * as v from "valibot";

export const described = <const Schema extends v.GenericSchema>(schema: Schema, description: string) =>
  v.pipe(schema, v.description(description));

export const text = (description: string) => described(v.string(), description);
export const texts = (description: string) => described(v.array(v.string()), description);
export const number = (description: string) => described(v.number(), description);
export const flag = (description: string) => described(v.boolean(), description);
export const anything = (description: string) => described(v.unknown(), description);
export const jsonObject = (description: string) => described(v.record(v.string(), v.unknown()), description);

/** The id of a request. */
export const idText = (description: string) => v.pipe(v.string(), v.nonEmpty(), v.description(description));
