// What a person types while the agent works. The first key holds the answer back and shows the line; Enter lets it wait for its turn,
// Esc says it to the turn that runs. An emptied line lets the answer go on. Nothing is shown while nothing is typed.

import { createInterface, type Interface, type Key } from "node:readline";
import { Writable } from "node:stream";
import { paint } from "../command-line/output.ts";
import type { TurnView } from "./turn-view.ts";

export type Typing = ReturnType<typeof createTyping>;

export interface TypingOptions {
  readonly view: Pick<TurnView, "pause" | "resume">;
  /** Enter. What it writes stands under the line; the answer goes on when it is done. */
  onLine(line: string): Promise<void>;
  /** Esc. */
  onSteer(line: string): Promise<void>;
  /** Ctrl-C. */
  onInterrupt(): void;
  /** Ctrl-D. */
  onEnd(): void;
}

/** A lone Esc is told from the beginning of another key by what follows within this time. */
const escapeMs = 50;
const eraseBelow = "\r\u001b[J";

export function createTyping({ view, onLine, onSteer, onInterrupt, onEnd }: TypingOptions) {
  const { stdin, stdout } = process;
  let reader: Interface | undefined;
  let unfinished = "";
  let isShown = false;
  let holds = 0;
  let isOn = false;
  const output = createGate(() => isShown);

  function show(): void {
    isShown = true;
    view.pause();
    reader?.prompt(true);
  }

  function hide(): void {
    if (!isShown) return;
    isShown = false;
    view.resume();
  }

  async function take(line: string, action: (line: string) => Promise<void>): Promise<void> {
    if (line.trim() !== "") await action(line.trim()).catch(() => {});
    if (reader?.line === "") hide();
  }

  function onKey(_: string | undefined, { name, ctrl }: Key): void {
    if (!reader) return;
    const { line } = reader;
    if (name === "escape" && !ctrl && line !== "") {
      stdout.write("\n");
      // Not to be seen again: it was said.
      const wasShown = isShown;
      isShown = false;
      reader.write(null, { ctrl: true, name: "e" });
      reader.write(null, { ctrl: true, name: "u" });
      isShown = wasShown;
      void take(line, onSteer);
    } else if (line !== "" && !isShown) show();
    else if (line === "" && isShown && name !== "return" && name !== "enter") {
      stdout.write(eraseBelow);
      hide();
    }
  }

  function open(): void {
    if (reader || !isOn || holds > 0) return;
    const opened = createInterface({ input: stdin, output, terminal: true, historySize: 0, escapeCodeTimeout: escapeMs });
    reader = opened;
    opened.setPrompt(`${paint("green", "+")} `);
    opened.on("line", (line) => void take(line, onLine));
    opened.on("SIGINT", () => {
      opened.write(null, { ctrl: true, name: "u" });
      hide();
      onInterrupt();
    });
    opened.on("close", () => {
      if (reader === opened) onEnd();
    });
    stdin.on("keypress", onKey);
    if (unfinished === "") return;
    opened.write(unfinished);
    unfinished = "";
    show();
  }

  function close(): void {
    const closing = reader;
    if (!closing) return;
    reader = undefined;
    stdin.off("keypress", onKey);
    unfinished = closing.line;
    if (isShown) stdout.write(eraseBelow);
    hide();
    closing.close();
  }

  return {
    /** From now on keys are read. */
    start(): void {
      isOn = true;
      open();
    },
    /** Returns what was begun and not sent. */
    stop(): string {
      isOn = false;
      close();
      const rest = unfinished;
      unfinished = "";
      return rest;
    },
    /** A question needs the keys. True where a line was begun, whose rest is not an answer. */
    hold(): boolean {
      holds++;
      close();
      return unfinished !== "";
    },
    release(): void {
      holds--;
      open();
    },
  };
}

/** The terminal, while the line is shown; a reader must know how wide it is either way. */
function createGate(isOpen: () => boolean): Writable {
  const gate = new Writable({
    write(chunk: Buffer, _, done) {
      if (isOpen()) process.stdout.write(chunk);
      done();
    },
  });
  return Object.defineProperty(gate, "columns", { get: () => process.stdout.columns });
}
