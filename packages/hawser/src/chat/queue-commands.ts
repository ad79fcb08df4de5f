// `/queue`: what waits in the conversation, and changing it or taking it back; and `/fork`.

import { HawserError } from "@hawser/protocol";
import { fitLine, paint } from "../command-line/output.ts";
import type { Session } from "./conversation-loop.ts";

const maxShownChars = 200;

interface Waiting {
  readonly id: string;
  readonly message: string;
  readonly isSteer: boolean;
}

async function waitingIn({ agent, conversationId }: Session): Promise<readonly Waiting[]> {
  const { requests, steers } = await agent.listQueue(conversationId);
  return [
    ...steers.map(({ steerId, message }) => ({ id: steerId, message, isSteer: true })),
    ...requests.map(({ id, message }) => ({ id, message, isSteer: false })),
  ];
}

/** Without an argument it lists; `drop <number>` takes one back, `edit <number> <words>` changes it. */
export async function runQueue(session: Session, argument: string): Promise<string> {
  const waiting = await waitingIn(session);
  if (argument === "") return showWaiting(waiting);
  const [verb = "", number = "", ...words] = argument.split(" ");
  const meant = waiting[Number(number) - 1];
  if (verb !== "drop" && verb !== "edit")
    throw new HawserError("usage", "say /queue, /queue drop <number> or /queue edit <number> <words>");
  if (!meant) throw new HawserError("usage", `nothing that waits has the number ${number}; /queue lists it`);
  const { agent } = session;
  if (verb === "edit") await agent.editQueued(meant.id, words.join(" "));
  else {
    if (meant.isSteer) await agent.withdraw(meant.id);
    else await agent.cancel(meant.id);
    session.forget(meant.id);
  }
  return showWaiting(await waitingIn(session));
}

function showWaiting(waiting: readonly Waiting[]): string {
  if (waiting.length === 0) return paint("dim", "Nothing waits.\n");
  const rows = waiting.map(({ message, isSteer }, index) => {
    const sort = isSteer ? "for the next step" : "for its turn";
    return `  ${paint("bold", String(index + 1))}  ${fitLine(message, maxShownChars)} ${paint("dim", `(${sort})`)}\n`;
  });
  return `${rows.join("")}${paint("dim", "  To change one: /queue drop <number>, /queue edit <number> <words>\n")}`;
}

/** What is said from now on goes into a new conversation, which begins as this one does. */
export async function runFork(session: Session): Promise<string> {
  const { agent, conversationId } = session;
  session.conversationId = await agent.fork(conversationId);
  const before = fitLine(conversationId, maxShownChars);
  return paint("dim", `This goes on as ${session.conversationId}; ${before} stays as it is.\n`);
}
