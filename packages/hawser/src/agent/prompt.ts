// Lines from a person at a terminal, with editing and the history of this session. Between two reads the
// terminal is in its usual state, so that Ctrl-C is a signal; what was typed meanwhile is not lost.

import { createInterface, type Interface } from "node:readline";

/** `interrupts`: how often Ctrl-C was pressed, where it was. */
export type PromptAnswer = { readonly line: string } | { readonly end: "eof" } | { readonly end: "interrupt"; readonly interrupts: number };

export interface Prompt {
  read(question: string): Promise<PromptAnswer>;
}

const maxHistory = 500;

export function createPrompt(): Prompt {
  const typedAhead: string[] = [];
  let history: string[] = [];
  let unfinished = "";

  function open(): Interface {
    const reader = createInterface({ input: process.stdin, output: process.stdout, terminal: true, history, historySize: maxHistory });
    reader.on("line", (line) => typedAhead.push(line));
    reader.on("history", (lines) => (history = [...lines]));
    return reader;
  }

  return {
    async read(question) {
      const early = typedAhead.shift();
      if (early !== undefined) return { line: early };
      const reader = open();
      let interrupts = 0;
      try {
        const answer = await new Promise<PromptAnswer>((resolve) => {
          reader.once("line", () => resolve({ line: typedAhead.shift() ?? "" }));
          reader.on("SIGINT", () => {
            // What was typed is not wanted any more.
            reader.write(null, { ctrl: true, name: "u" });
            resolve({ end: "interrupt", interrupts: ++interrupts });
          });
          reader.once("close", () => resolve({ end: "eof" }));
          reader.setPrompt(question);
          reader.prompt();
          reader.write(unfinished);
        });
        // Keys that came together were all read before this.
        return "end" in answer && answer.end === "interrupt" ? { ...answer, interrupts } : answer;
      } finally {
        unfinished = reader.line;
        reader.close();
      }
    },
  };
}
