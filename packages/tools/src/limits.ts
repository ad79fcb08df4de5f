// Every bound of checking the arguments of tools: one name, one default, one reason. Names end in their unit. `docs/limits.md`
// is generated from this file: the comment above a number is its reason there.

export const toolLimits = {
  /** Work of checking one value against a JSON Schema, about one step for a keyword at a place; beyond it the value is refused. */
  schemaCheckSteps: 3_000_000,
  /** How long all checks of a process together may go on before other work gets its turn. */
  schemaSliceMs: 15,
  /** Schemas within schemas that one check goes through, references included; a schema that refers to itself without end is refused. */
  schemaDepth: 500,
  /** Members of one object in the arguments of a call: JavaScript lists their names in one go, a hundred thousand in about 20 ms and 430,000 in 100 to 150. Beyond it the call is refused. */
  argumentMembers: 500_000,
  /** A regular expression of a schema that may take more steps than this for a text is tried in a thread of its own. */
  schemaPatternSteps: 200_000,
  /** Time in that thread for all texts of one check; beyond it the value is refused. */
  schemaPatternMs: 1_000,
  /** Texts that wait for that thread; beyond it a value is refused with `overloaded`. */
  schemaWaitingEntries: 256,
  /** After that time without work the thread is ended. */
  schemaThreadIdleMs: 10_000,
};
