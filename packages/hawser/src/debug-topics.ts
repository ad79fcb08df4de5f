// HAWSER_DEBUG: what to show beside the usual, as names with commas between them. A name that means
// nothing is said once, so that nobody waits for what can't come.

import { programName } from "./launcher.ts";
import { fitLine, printTo } from "./terminal.ts";

/** `protocol`: every message of our protocols, `protocol-full`: however long (the wire reads both itself). `stack`: where a failure came from. */
const topics = ["protocol", "protocol-full", "stack"] as const;

const asked = (): string[] => (process.env["HAWSER_DEBUG"] ?? "").split(",");

export const isDebugged = (topic: (typeof topics)[number]): boolean => asked().includes(topic);

/** One line on stderr, if there is something to say. */
export function warnOfUnknownTopics(): void {
  const known: readonly string[] = topics;
  const unknown = asked().filter((topic) => topic !== "" && !known.includes(topic));
  if (unknown.length === 0) return;
  const shown = fitLine(JSON.stringify(unknown.join(",")), 80);
  printTo(process.stderr, `${programName()}: HAWSER_DEBUG: ${shown} means nothing; there are: ${topics.join(", ")}\n`);
}
