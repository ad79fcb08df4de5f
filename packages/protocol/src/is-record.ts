// What every part of a message is that has members.

/** A JSON object: members by name, no list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
