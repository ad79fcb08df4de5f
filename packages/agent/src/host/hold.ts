// Keeps responses whose request is not known yet: while a `subscribe` is under way, those of the turn that
// it leads to come before its name does.

import { HawserError, limits } from "@hawser/wire";
import type { ParsedLine } from "./agent-link.ts";

export interface Hold {
  /** Throws `overloaded` when there was more than may be kept. */
  takeOf(id: string): readonly ParsedLine[];
  letGo(): void;
}

export interface Holds {
  /** Begins to keep. */
  open(): Hold;
  keep(id: string, line: ParsedLine): void;
}

export function createHolds(): Holds {
  const keepers = new Set<(id: string, line: ParsedLine) => void>();

  function open(): Hold {
    const lines = new Map<string, ParsedLine[]>();
    let chars = 0;
    function keep(id: string, line: ParsedLine): void {
      chars += line.text.length;
      const ofId = lines.get(id) ?? [];
      if (chars > limits.hostUnreadChars) lines.clear();
      else lines.set(id, ofId).get(id)?.push(line);
    }
    keepers.add(keep);
    return {
      takeOf(id) {
        if (chars <= limits.hostUnreadChars) return lines.get(id) ?? [];
        throw new HawserError("overloaded", "the running turn has sent more than can be kept; wait for its end and load the conversation");
      },
      letGo: () => void keepers.delete(keep),
    };
  }

  return {
    open,
    keep(id, line) {
      for (const keep of keepers) keep(id, line);
    },
  };
}
