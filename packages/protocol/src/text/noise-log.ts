// Lines that a program writes where only messages belong, such as its log on stdout, or what a client has on our stdin. The first few are shown as they are; then,
// whenever their number has doubled, how many there were. So a flood of them stays a few lines of log.

import { quoteShort } from "../errors.ts";
import { protocolLimits } from "../limits.ts";
import { reveal } from "./reveal.ts";

/** Takes each such line, or its beginning; `tell` gets what is worth a line in the log, `hide` takes secrets out, `where` it was read. */
export function createNoiseLog(
  tell: (words: string) => void,
  hide = (text: string): string => text,
  where: "stdout" | "stdin" = "stdout",
): (line: string) => void {
  let count = 0;
  return (line) => {
    count += 1;
    // Secrets go before anything is cut: half of one would be shown otherwise.
    if (count <= protocolLimits.shownNoiseEntries)
      tell(`skipped a line on ${where} that isn't a message: ${reveal(quoteShort(hide(line), protocolLimits.shownNoiseChars))}`);
    else if (Number.isInteger(Math.log2(count))) tell(`skipped ${count} lines on ${where} so far that aren't messages`);
  };
}
