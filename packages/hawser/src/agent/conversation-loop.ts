// A conversation at the terminal: reads a line, shows the answer, and again. Ctrl-C ends the turn that runs;
// a second one in a row leaves. Lines that begin with a slash are for us.

import type { SpawnedAgent } from "@hawser/agent/host";
import { HawserError, toHawserError } from "@hawser/wire";
import { fitLine, paint, printStyled } from "../terminal.ts";
import { createApproval } from "./approval.ts";
import { runSlashCommand } from "./slash-commands.ts";
import { createPrompt } from "./prompt.ts";
import { cardStyle, isPlainTerminal } from "./terminal-looks.ts";
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
