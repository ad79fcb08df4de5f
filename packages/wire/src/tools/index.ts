// What whoever runs a tool needs before its function does: the check of its arguments, and its turn. An
// entry of its own, since the validator is loaded only by processes that run tools.

import "../require-node.ts";
export { createGates } from "./gate.ts";
export type { Gates } from "./gate.ts";
export { printJsonSchema } from "./print-json-schema.ts";
export { checkNumbers, prepareInput, toJsonSchema } from "./tool-input.ts";
export type { PreparedInput } from "./tool-input.ts";
