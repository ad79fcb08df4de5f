// A conversation at the terminal: reads a line, shows the answer, and again. Ctrl-C ends the turn that runs;
// a second one in a row leaves. Lines that begin with a slash are for us.

import { createInterface, type Interface } from "node:readline";
import type { SpawnedAgent } from "@hawser/agent/host";
import { HawserError, toHawserError } from "@hawser/protocol";
import { fitLine, paint, printStyled } from "../command-line/output.ts";
import { createApproval } from "./approval.ts";
import { runSlashCommand } from "./slash-commands.ts";
import { cardStyle, isPlainTerminal } from "./tool-card.ts";
import { createTurnView, type TurnView } from "./turn-view.ts";

/** What lasts from one line to the next. */
export interface Session {
  readonly agent: SpawnedAgent;
  readonly conversationId: string;
  /** Instead of the runtime's own. */
  model: string | undefined;
}

export interface ConversationLoop {
  readonly view: TurnView;
  /** Resolves when the person leaves, with the exit code. */
  run(agent: SpawnedAgent, conversationId: string): Promise<number>;
}

const interruptedExitCode = 130;
const maxMessageChars = 2_000;

export function createConversationLoop(): ConversationLoop {
  const write = (text: string): void => printStyled(process.stdout, text);
  const style = cardStyle(paint);
  const view = createTurnView({ style, write, isPlain: isPlainTerminal() });
  const prompt = createPrompt();
  let interruptions = 0;
  let current: AbortController | undefined;

  function onInterrupt(): void {
    interruptions++;
    current?.abort(new HawserError("cancelled", "cancelled"));
  }
  const onPermission = createApproval({ style, view, write, onInterrupt });

  async function turn({ agent, conversationId, model }: Session, message: string): Promise<void> {
    const controller = new AbortController();
    current = controller;
    process.on("SIGINT", onInterrupt);
    try {
      view.begin(model ?? agent.info?.model);
      const metadata = { conversationId, ...(model !== undefined && { model }) };
      for await (const event of agent.send({ message, metadata }, { signal: controller.signal, onPermission })) view.show(event);
      view.end();
    } catch (error) {
      const { code, message: text } = toHawserError(error);
      view.end();
      if (code === "cancelled") write(`${paint("yellow", "Stopped.")} ${paint("dim", "Ctrl-C again leaves.")}\n`);
      else write(`${paint("red", "✗")} ${fitLine(text, maxMessageChars)}\n`);
    } finally {
      process.off("SIGINT", onInterrupt);
      current = undefined;
    }
  }

  return {
    view,
    async run(agent, conversationId) {
      const session: Session = { agent, conversationId, model: undefined };
      for (;;) {
        const answer = await prompt.read(`${paint("bold", ">")} `);
        if ("end" in answer) {
          if (answer.end === "eof") return leave(write, 0);
          interruptions += answer.interrupts;
          if (interruptions > 1) return leave(write, interruptedExitCode);
          write(`\n${paint("dim", "Ctrl-C again, or Ctrl-D, leaves.")}\n`);
          continue;
        }
        const line = answer.line.trim();
        interruptions = 0;
        if (line === "") continue;
        if (line.startsWith("/")) {
          if ((await runSlashCommand(line, session, write)) === "quit") return 0;
        } else await turn(session, line);
        if (interruptions > 1) return leave(write, interruptedExitCode);
      }
    },
  };
}

function leave(write: (text: string) => void, exitCode: number): number {
  write("\n");
  return exitCode;
}

/** `interrupts`: how often Ctrl-C was pressed, where it was. */
export type PromptAnswer = { readonly line: string } | { readonly end: "eof" } | { readonly end: "interrupt"; readonly interrupts: number };

export interface Prompt {
  read(question: string): Promise<PromptAnswer>;
}

const maxHistory = 500;

function createPrompt(): Prompt {
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
