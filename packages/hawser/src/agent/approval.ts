// Asks the person at the terminal whether a tool may run, and shows everything that would happen. One
// question at a time. Only a clear yes is one.

import type { Decision, OnPermission, PermissionRequest } from "@hawser/agent/host";
import { readKey } from "./key-press.ts";
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

async function askOne(request: PermissionRequest, signal: AbortSignal, options: ApprovalOptions): Promise<Decision> {
  const { style, view, write, onInterrupt } = options;
  const { paint } = style;
  const choices = `  ${paint("bold", "y")} allow once, ${paint("bold", "a")} always, ${paint("bold", "n")} deny? `;
  view.pause();
  try {
    for (let isWhole = false; ; isWhole = true) {
      const key = await readKey(["y", "a", "n", "v"], signal, () => write(showQuestion(request, style, isWhole) + choices));
      const [decision, words] = answers[key ?? "gone"] ?? answers["gone"];
      write(`${words}\n`);
      if (key === "interrupt") onInterrupt();
      if (decision) return decision;
    }
  } finally {
    view.resume();
  }
}

const answers: Readonly<Record<string, readonly [Decision | undefined, string]>> & { gone: readonly [Decision, string] } = {
  y: ["allow", "allowed"],
  a: ["allow_always", "allowed, also later"],
  n: ["deny", "denied"],
  v: [undefined, ""],
  interrupt: ["deny", "denied"],
  gone: ["deny", "too late"],
};
