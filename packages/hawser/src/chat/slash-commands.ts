// What a person can say to the chat itself.

import { isAgentName, toHawserError, type ModelEntry } from "@hawser/protocol/internal";
import { fitLine, paint } from "../command-line/output.ts";
import { runCompact, runPlan } from "./context.ts";
import type { Session } from "./conversation-loop.ts";
import { redo, showChanges, undo } from "./changes.ts";
import { showLatest } from "./conversations.ts";
import { showSkills, trustFolders } from "./guidance.ts";
import { runOptions } from "./options.ts";
import { runFork, runQueue } from "./queue-commands.ts";

const help = `  /help          this
  /clear         forget what was said in this conversation
  /compact       have a summary stand for what was said, so that there is room in the model's context
  /plan          what the agent means to do, and how far it is
  /list          the latest conversations
  /queue         what waits; "/queue drop 1" takes it back, "/queue edit 1 <words>" changes it
  /fork          go on in a new conversation that begins as this one does
  /model         the models and agents that can answer, and why others can't
  /model <name>  let this one answer from now on; "/model usual": the usual one
  /options       what can be chosen about an agent: its mode, model and the like
  /options <name> <value>   choose it
  /skills        the instructions and skills that the model is told of, and what is left out
  /trust         asks whether what this folder brings along may count: instructions, skills, tools
  /changes       what was changed in files, with diffs; "/changes <file>": all of one
  /undo          take back what the last turn changed; "/undo <file>": only there
  /redo          take the last /undo back
  /quit, /exit   leave; so does Ctrl-D

  A question is answered with yes, no or always, or with the number of one of the agent's own answers, and Enter. Ctrl-C stops an answer. What you type while the agent works waits for its turn with Enter, and with Esc the agent sees it at its next step. Ask the offline model for "help" to see what it understands.
`;

const maxNameChars = 100;
const maxReasonChars = 200;

const commands: Readonly<Record<string, (session: Session, argument: string) => string | Promise<string>>> = {
  help: () => help,
  async clear({ agent, conversationId }) {
    await agent.clearHistory({ conversationId, force: true });
    return paint("dim", "Forgotten.\n");
  },
  list: async ({ agent, conversationId }) => showLatest(await agent.listConversations(), conversationId),
  models: showModels,
  model: (session, name) => (name === "" ? showModels(session) : chooseModel(session, name)),
  options: runOptions,
  compact: runCompact,
  plan: runPlan,
  queue: runQueue,
  fork: runFork,
  skills: showSkills,
  trust: trustFolders,
  changes: showChanges,
  undo,
  redo,
};

/** `quit` when the person wants to leave. */
export async function runSlashCommand(line: string, session: Session, write: (text: string) => void): Promise<"quit" | "stay"> {
  const [name = "", ...words] = line.slice(1).split(/\s+/);
  if (name === "quit" || name === "exit") return "quit";
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    const missing = `There is no /${fitLine(name, maxNameChars)}; /help shows what there is.\n`;
    write(command ? await command(session, words.join(" ")) : missing);
  } catch (error) {
    write(`${paint("red", "✗")} ${fitLine(toHawserError(error).message, maxReasonChars)}\n`);
  }
  return "stay";
}

async function showModels({ agent, model }: Session): Promise<string> {
  const models = await agent.listModels();
  const toRow = (entry: ModelEntry): string => {
    const isUsed = model === undefined ? entry.current : entry.model === model;
    const note = entry.available ? "" : paint("dim", `  ${fitLine(entry.reason ?? "not available", maxReasonChars)}`);
    return `${isUsed ? paint("green", "*") : " "} ${fitLine(entry.model, maxNameChars)}${note}\n`;
  };
  const [agents, others] = [models.filter(({ model: name }) => isAgentName(name)), models.filter(({ model: name }) => !isAgentName(name))];
  if (agents.length === 0) return others.map(toRow).join("");
  return [paint("bold", "Models\n"), ...others.map(toRow), paint("bold", "Agents\n"), ...agents.map(toRow)].join("");
}

async function chooseModel(session: Session, name: string): Promise<string> {
  if (name === "usual") {
    session.model = undefined;
    return paint("dim", "The usual model answers.\n");
  }
  const known = (await session.agent.listModels()).find(({ model }) => model === name);
  if (known && !known.available)
    return `${fitLine(name, maxNameChars)} can't be used: ${fitLine(known.reason ?? "not available", maxReasonChars)}\n`;
  // One that is not in the list may still be one: asked for its options, the runtime says what is wrong with the name.
  if (!known && session.agent.info?.capabilities?.includes("options")) await session.agent.listOptions(session.conversationId, name);
  session.model = name;
  return paint("dim", `${fitLine(name, maxNameChars)} answers from now on.\n`);
}
