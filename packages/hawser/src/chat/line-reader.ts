// One line of a person at the terminal, with the lines before at the arrow keys. What comes in the same breath behind a line is the
// next one.

import { createInterface } from "node:readline";
import { paint } from "../command-line/output.ts";

interface TypedLine {
  /** Undefined at the end of the input, and after Ctrl-C. */
  readonly line?: string;
  readonly interrupts: number;
}

const maxHistory = 500;

export function createLineReader() {
  const typedAhead: string[] = [];
  let history: string[] = [];
  let unfinished = "";

  async function read(): Promise<TypedLine> {
    const early = typedAhead.shift();
    if (early !== undefined) return { line: early.trim(), interrupts: 0 };
    const reader = createInterface({ input: process.stdin, output: process.stdout, terminal: true, history, historySize: maxHistory });
    let interrupts = 0;
    const over = Promise.withResolvers<string | undefined>();
    reader.on("line", (line) => typedAhead.push(line));
    reader.on("history", (lines) => (history = [...lines]));
    reader.once("line", () => over.resolve(typedAhead.shift()?.trim()));
    reader.on("SIGINT", () => {
      // What was typed is not wanted any more.
      reader.write(null, { ctrl: true, name: "u" });
      interrupts++;
      over.resolve(undefined);
    });
    reader.once("close", () => over.resolve(undefined));
    reader.setPrompt(`${paint("bold", ">")} `);
    reader.prompt();
    reader.write(unfinished);
    try {
      const line = await over.promise;
      // Keys that came together were all read before this.
      return line === undefined ? { interrupts } : { line, interrupts };
    } finally {
      unfinished = reader.line;
      reader.close();
    }
  }

  return {
    read,
    /** What was typed elsewhere, and not sent. */
    begin: (text: string): void => void (unfinished += text),
  };
}
