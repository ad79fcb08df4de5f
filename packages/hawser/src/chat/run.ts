// `hawser chat`: talks to a runtime that it starts itself, in the current folder. On a terminal a conversation,
// otherwise, or with a message, one answer.

import type { SpawnedAgent } from "@hawser/agent/host";
import { HawserError } from "@hawser/protocol";
import { withDemo, type DemoFlags, type RuntimeSetup } from "../agent/demo-agent.ts";
import { checkHostFlags } from "../agent/flags.ts";
import { readStdin } from "../command-line/input.ts";
import { fitLine, paint, printTo } from "../command-line/output.ts";
import { chooseConversation, printConversations, showConversation } from "./conversations.ts";
import { answerOnce, canAsk } from "./one-answer.ts";
import { startRuntime, withoutAnybodyToAsk } from "./start-agent.ts";
import { terminal } from "./tool-card.ts";
import { wrapText } from "./word-wrap.ts";

export interface ChatFlags extends DemoFlags {
  readonly conversation?: string;
  readonly continue?: true;
  readonly list?: true;
  readonly json?: true;
}

export async function runChat(words: readonly string[], flags: ChatFlags): Promise<void> {
  if (flags.history === false && (flags.continue || flags.list)) {
    throw new HawserError("usage", "--no-history keeps nothing to list or continue; leave out one of them");
  }
  checkHostFlags(flags);
  const isConversation = words.length === 0 && process.stdin.isTTY && process.stdout.isTTY && !flags.json && !flags.list;
  process.exitCode = await withDemo(flags, (setup) => (isConversation ? converse(setup) : answer(words, setup)));
}

async function answer(words: readonly string[], { flags, env }: RuntimeSetup<ChatFlags>): Promise<number> {
  const message = flags.list ? "" : await readMessage(words);
  const permissions = canAsk(flags.json === true) ? flags.permissions : withoutAnybodyToAsk(flags);
  const agent = await startRuntime({ flags: { ...flags, ...(permissions && { permissions }) }, env }, printLog);
  try {
    if (flags.list) {
      await printConversations(agent, flags.json === true);
      return 0;
    }
    const conversationId = await chooseConversation(agent, flags);
    return await answerOnce(agent, { message, metadata: { conversationId } }, flags.json === true);
  } finally {
    await agent.close();
  }
}

async function readMessage(words: readonly string[]): Promise<string> {
  const isPiped = words.length === 0 && !process.stdin.isTTY;
  const message = isPiped ? (await readStdin()).toString("utf8") : words.join(" ");
  if (message.trim() !== "") return message;
  throw new HawserError("usage", 'there is nothing to say; give a message: hawser chat "list the files here"');
}

const maxLogChars = 1_000;

const printLog = (line: string): void => printTo(process.stderr, `${process.stderr.isTTY ? fitLine(line, maxLogChars) : line}\n`);

async function converse(setup: RuntimeSetup<ChatFlags>): Promise<number> {
  const { flags, examples = [] } = setup;
  // Only here: one answer does not need it.
  const { createConversationLoop } = await import("./conversation-loop.ts");
  const loop = createConversationLoop();
  const { notice } = loop.view;
  const agent = await startRuntime(setup, notice, () => notice("The agent ended and is started again; what it was doing is lost."));
  try {
    const conversationId = await chooseConversation(agent, flags);
    const tips = examples.map((example) => paint("dim", `  The demo API is there. Try: ${example}\n`));
    terminal.write(wrapText((await greeting(agent, conversationId, flags)) + tips.join(""), terminal.width));
    return await loop.run(agent, conversationId, await rootsOf(flags));
  } finally {
    await agent.close();
  }
}

/** Of a runtime on this machine; those of others have their own. What checks them brings the whole runtime along. */
async function rootsOf(flags: ChatFlags): Promise<readonly string[]> {
  if (flags.fleet !== undefined) return [];
  const { checkRoots } = await import("../agent/compose-agent.ts");
  return checkRoots(flags, { env: process.env, cwd: process.cwd() });
}

async function greeting(agent: SpawnedAgent, conversationId: string, { continue: isContinued, conversation }: ChatFlags): Promise<string> {
  const model = fitLine(agent.info?.model ?? "an unnamed model", 100);
  const hint = model === "offline" ? " It isn't a language model; set ANTHROPIC_API_KEY or give --model for one." : "";
  const first = `${paint("bold", "hawser")} ${paint("dim", `${model} answers.${hint} /help shows more, Ctrl-D leaves.`)}\n`;
  const isOld = isContinued ?? conversation !== undefined;
  return isOld ? first + showConversation(await agent.loadConversation(conversationId)) : first;
}
