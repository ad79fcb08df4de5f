// A conversation at the terminal: reads a line, shows the answer, and again. Ctrl-C ends the turn that runs;
// a second one in a row leaves. Lines that begin with a slash are for us.

import { createInterface } from "node:readline";
import type { SpawnedAgent } from "@hawser/agent/host";
import { HawserError, toHawserError } from "@hawser/protocol";
import { fitLine, paint } from "../command-line/output.ts";
import { createApproval } from "./approval.ts";
import { runSlashCommand } from "./slash-commands.ts";
import { terminal } from "./tool-card.ts";
import { createTurnView } from "./turn-view.ts";
import { wrapText } from "./word-wrap.ts";

/** What lasts from one line to the next. */
export interface Session {
  readonly agent: SpawnedAgent;
  readonly conversationId: string;
  /** Instead of the runtime's own. */
  model: string | undefined;
}

const interruptedExitCode = 130;
const maxMessageChars = 2_000;

export function createConversationLoop() {
  const { write } = terminal;
  const view = createTurnView(terminal);
  const readLine = createLineReader();
  let interruptions = 0;
  let current: AbortController | undefined;

  function onInterrupt(): void {
    interruptions++;
    current?.abort(new HawserError("cancelled", "cancelled"));
  }
  const onPermission = createApproval(view, onInterrupt);

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
      else write(`${paint("red", "✗")} ${wrapText(fitLine(text, maxMessageChars), terminal.width, 2).trimStart()}\n`);
    } finally {
      process.off("SIGINT", onInterrupt);
      current = undefined;
    }
  }

  function leave(exitCode: number): number {
    write("\n");
    return exitCode;
  }

  return {
    view,
    /** Resolves when the person leaves, with the exit code. */
    async run(agent: SpawnedAgent, conversationId: string): Promise<number> {
      const session: Session = { agent, conversationId, model: undefined };
      for (;;) {
        const { line, interrupts } = await readLine();
        if (line === undefined) {
          if (interrupts === 0) return leave(0);
          interruptions += interrupts;
          if (interruptions > 1) return leave(interruptedExitCode);
          write(`\n${paint("dim", "Ctrl-C again, or Ctrl-D, leaves.")}\n`);
          continue;
        }
        interruptions = 0;
        if (line === "") continue;
        if (line.startsWith("/")) {
          if ((await runSlashCommand(line, session, (text) => write(wrapText(text, terminal.width)))) === "quit") return 0;
        } else await turn(session, line);
        if (interruptions > 1) return leave(interruptedExitCode);
      }
    },
  };
}

interface TypedLine {
  /** Undefined at the end of the input, and after Ctrl-C. */
  readonly line?: string;
  readonly interrupts: number;
}

const maxHistory = 500;

function createLineReader(): () => Promise<TypedLine> {
  const typedAhead: string[] = [];
  let history: string[] = [];
  let unfinished = "";

  return async () => {
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
  };
}
