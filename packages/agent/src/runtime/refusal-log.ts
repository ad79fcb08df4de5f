// What the log says about lines that were refused: each of the first ones, then how many there are whenever that
// has doubled, and how many there were at the end. A host that sends nothing but nonsense fills no log.

import { limits } from "@hawser/wire";
import { logLine } from "@hawser/wire/node";

export interface RefusalLog {
  /** `position`: the line's number in the input. */
  note(position: number, reason: string): void;
  /** Says how many there were, if the log does not tell so already. */
  close(): void;
}

export function createRefusalLog(log: (line: string) => void = logLine, namedLines: number = limits.agentRefusedMessages): RefusalLog {
  let [count, counted] = [0, 0];

  return {
    note(position, reason) {
      count++;
      if (count <= namedLines) {
        counted = count;
        return log(`[hawser] agent: line ${position} was refused: ${reason}`);
      }
      if (count < 2 * counted) return;
      counted = count;
      log(`[hawser] agent: ${count} lines were refused until now; the last is line ${position}: ${reason}`);
    },
    close() {
      if (count > counted) log(`[hawser] agent: ${count} lines were refused in all`);
      counted = count;
    },
  };
}
