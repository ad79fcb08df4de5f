// Ids of conversations that a person reads and types: they sort by time.

/** `chat-20261116-093012-4f1c`; `digits`: the random ones at its end, eight at most. */
export function newTimedId(prefix: string, digits: number): string {
  const time = new Date().toISOString().replaceAll(/\D/g, "");
  return `${prefix}-${time.slice(0, 8)}-${time.slice(8, 14)}-${crypto.randomUUID().slice(0, digits)}`;
}
