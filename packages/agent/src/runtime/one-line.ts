// Lists that are sent as one line, and so may not be longer than a line.

import { agentLimits } from "../limits.ts";

/** The first ones, as many as one line takes: an id may be long. */
export function withinOneLine<Entry>(entries: readonly Entry[], maxBytes = agentLimits.agentListedBytes): Entry[] {
  let bytes = 0;
  const tooMany = entries.findIndex((entry) => (bytes += Buffer.byteLength(JSON.stringify(entry)) + 1) > maxBytes);
  return tooMany === -1 ? [...entries] : entries.slice(0, tooMany);
}
