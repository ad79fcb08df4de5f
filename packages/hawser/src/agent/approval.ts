// Asks the person at the terminal whether a tool may run, and shows everything that would happen. One
// question at a time. An answer is a word and Enter; "always" has no short form.

import type { Decision, OnPermission, PermissionAnswer, PermissionRequest } from "@hawser/agent/host";
import { readAnswer } from "./answer-line.ts";
import { showQuestion, type CardStyle } from "./tool-card.ts";
import type { TurnView } from "./turn-view.ts";

export interface ApprovalOptions {
  readonly style: CardStyle;
  readonly view: TurnView;
  write(text: string): void;
  /** Ctrl-C at a question. */
  onInterrupt(): void;
}

export function createApproval(options: ApprovalOptions): OnPermission {
  let last: Promise<unknown> = Promise.resolve();
  return (request, { signal }) => {
    const answer = last.then(() => (signal.aborted ? "deny" : askOne(request, signal, options)));
    last = answer.catch(() => {});
    return answer;
  };
}

async function askOne(request: PermissionRequest, signal: AbortSignal, options: ApprovalOptions): Promise<Decision | PermissionAnswer> {
  const { style, view, write, onInterrupt } = options;
  const { paint } = style;
  const [yes, no, always] = ["yes", "no", "always"].map((word) => paint("bold", word));
  const prompt = `  ${yes} (once), ${no} or ${always}? `;
  const accepts = (line: string): boolean => answers.has(toWord(line));
  const refuse = (): void => write(`  ${paint("dim", "Not an answer. Write one word and press Enter:")}\n`);
  view.pause();
  try {
    for (let isWhole = false; ; isWhole = true) {
      const ask = (): void => write(showQuestion(request, style, isWhole));
      const answer = await readAnswer({ signal, prompt, ask, accepts, refuse });
      if ("end" in answer) {
        write(signal.aborted ? "\n  too late\n" : "\n  denied\n");
        if (answer.end === "interrupt") onInterrupt();
        return "deny";
      }
      const decision = answers.get(toWord(answer.line));
      if (decision !== undefined && decision !== "show all") return { decision, via: "word" };
    }
  } finally {
    view.resume();
  }
}

const toWord = (line: string): string => line.trim().toLowerCase();

const answers: ReadonlyMap<string, Decision | "show all"> = new Map([
  ["yes", "allow"],
  ["y", "allow"],
  ["always", "allow_always"],
  ["no", "deny"],
  ["n", "deny"],
  ["v", "show all"],
]);
