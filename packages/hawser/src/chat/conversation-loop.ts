// A conversation at the terminal: reads a line, shows the answer, and again. What is typed while the agent works waits, or steers it.
// Ctrl-C ends the turn that runs; a second one in a row leaves. Lines that begin with a slash are for us.

import { setTimeout as sleep } from "node:timers/promises";
import type { AgentTurn, SpawnedAgent } from "@hawser/agent/host";
import { HawserError, toHawserError } from "@hawser/protocol";
import { fitLine, paint } from "../command-line/output.ts";
import { createApproval } from "./approval.ts";
import { createFollowingTurns, type FollowingTurn } from "./following-turns.ts";
import { createLineReader } from "./line-reader.ts";
import { runSlashCommand } from "./slash-commands.ts";
import { terminal } from "./tool-card.ts";
import { createTurnView } from "./turn-view.ts";
import { createTyping } from "./typing.ts";
import { wrapText } from "./word-wrap.ts";

/** What lasts from one line to the next. */
export interface Session {
  readonly agent: SpawnedAgent;
  conversationId: string;
  /** Those that the runtime was started with. */
  readonly folders: readonly string[];
  /** Asks at the terminal. */
  readonly onPermission: ReturnType<typeof createApproval>;
  /** Instead of the runtime's own. */
  model: string | undefined;
  /** What waits under this id was taken back. */
  forget(id: string): void;
}

const interruptedExitCode = 130;
const maxMessageChars = 2_000;
/** A steer that the turn did not see is told of at once; a runtime that says nothing for so long has kept it for the next message. */
const nextTurnMs = 30_000;

export function createConversationLoop() {
  const { write } = terminal;
  const view = createTurnView(terminal);
  const reader = createLineReader();
  const following = createFollowingTurns();
  let session: Session | undefined;
  let running: AgentTurn | undefined;
  let interruptions = 0;
  let current: AbortController | undefined;
  let isLeaving = false;
  let seen = new Set<string>();

  function onInterrupt(): void {
    interruptions++;
    current?.abort(new HawserError("cancelled", "cancelled"));
  }

  const typing = createTyping({ view, onLine, onSteer, onInterrupt, onEnd: () => (isLeaving = true) });
  const onPermission = createApproval(view, onInterrupt, typing);

  const note = (text: string): void => write(`  ${paint("dim", text)}\n`);

  async function onLine(line: string): Promise<void> {
    if (!session) return;
    if (!line.startsWith("/")) return send(session, line);
    if ((await command(session, line)) === "stay") return;
    isLeaving = true;
    current?.abort(new HawserError("cancelled", "cancelled"));
  }

  async function onSteer(line: string): Promise<void> {
    const target = running?.id;
    if (!session) return;
    if (target === undefined) return send(session, line);
    const controller = new AbortController();
    const next = Promise.withResolvers<AgentTurn | undefined>();
    try {
      const options = { signal: controller.signal, onPermission, onNext: next.resolve };
      const id = await session.agent.steer(target, line, options);
      if (!seen.has(id)) following.add({ id, words: line, controller, turn: next.promise, isSteer: true });
      note("said to the agent: it sees this at its next step");
    } catch (error) {
      // Its turn has just ended, or the runtime can't: then it waits as any other message.
      if (toHawserError(error).code === "overloaded") note(fitLine(toHawserError(error).message, maxMessageChars));
      else send(session, line);
    }
  }

  function begin({ agent, conversationId, model }: Session, words: string): FollowingTurn {
    const controller = new AbortController();
    const metadata = { conversationId, ...(model !== undefined && { model }) };
    const turn = agent.send({ message: words, metadata }, { signal: controller.signal, onPermission });
    return { id: turn.id, words, controller, turn: Promise.resolve(turn), isSteer: false };
  }

  function send(to: Session, line: string): void {
    following.add(begin(to, line));
    note("waits for its turn; /queue shows what waits");
  }

  const command = (of: Session, line: string): Promise<"quit" | "stay"> =>
    runSlashCommand(line, of, (text) => write(wrapText(text, terminal.width)));

  async function show({ agent, model }: Session, { controller, turn }: FollowingTurn): Promise<void> {
    current = controller;
    seen = new Set();
    process.on("SIGINT", onInterrupt);
    try {
      view.begin(model ?? agent.info?.model);
      running = await Promise.race([turn, sleep(nextTurnMs, undefined, { ref: false })]);
      for await (const event of running ?? []) {
        if (event.type === "steered") see(event.data.steerId);
        view.show(event);
      }
      view.end();
      if (!running) note("it goes to the model with your next message");
    } catch (error) {
      const { code, message: text } = toHawserError(error);
      view.end();
      if (code === "cancelled") write(`${paint("yellow", "Stopped.")} ${paint("dim", "Ctrl-C again leaves.")}\n`);
      else write(`${paint("red", "✗")} ${wrapText(fitLine(text, maxMessageChars), terminal.width, 2).trimStart()}\n`);
    } finally {
      process.off("SIGINT", onInterrupt);
      [current, running] = [undefined, undefined];
    }
  }

  function see(steerId: string): void {
    seen.add(steerId);
    following.forget(steerId);
  }

  /** The answer to a line, and to whatever is said meanwhile. */
  async function converse(of: Session, line: string): Promise<void> {
    typing.start();
    try {
      for (let next: FollowingTurn | undefined = begin(of, line), isFirst = true; next; next = following.next(), isFirst = false) {
        if (isLeaving || interruptions > 1) next.controller.abort(new HawserError("cancelled", "cancelled"));
        else if (!isFirst) write(`${paint("bold", ">")} ${fitLine(next.words, maxMessageChars)}\n`);
        await show(of, next);
      }
    } finally {
      reader.begin(typing.stop());
    }
  }

  function leave(exitCode: number): number {
    write("\n");
    return exitCode;
  }

  return {
    view,
    /** Resolves when the person leaves, with the exit code. */
    async run(agent: SpawnedAgent, conversationId: string, folders: readonly string[]): Promise<number> {
      const own: Session = { agent, conversationId, folders, onPermission, model: undefined, forget: following.forget };
      session = own;
      for (;;) {
        const { line, interrupts } = await reader.read();
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
          if ((await command(own, line)) === "quit") return 0;
        } else await converse(own, line);
        if (interruptions > 1) return leave(interruptedExitCode);
        if (isLeaving) return leave(0);
      }
    },
  };
}
