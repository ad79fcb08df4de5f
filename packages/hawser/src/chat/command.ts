// `chat`, as help shows it.

import { Option, type Command } from "commander";
import { addAgentOptions, commandsHelp } from "../agent/flags.ts";
import { addCommand } from "../command-line/command.ts";
import { addFleetOptions } from "../fleet/flags.ts";
import type { ChatFlags } from "./run.ts";

export function addChat(program: Command): void {
  const chat = addCommand(program, "chat", {
    summary: "talk to the agent here",
    description:
      "Talks to an agent that works in the current folder. Without a message on a terminal: a conversation, with /help for what it knows. With a message, or one from a pipe: one answer, kept as a conversation unless --no-history is given. What changes something is asked before it is done; where you can't be asked, it is denied unless a rule in the configuration allows it.",
    notes: chatHelp,
    examples: [
      "hawser chat",
      'hawser chat "list the files here and read the README"',
      "git diff | hawser chat --json",
      "hawser chat --continue",
      'hawser chat --demo "call listTags"',
      "hawser chat --list",
    ],
  });
  addFleetOptions(
    addAgentOptions(chat.argument("[message...]", "what to say; without it, stdin is read unless it is a terminal")),
    "talk to the runtimes of a fleet at these servers; what the agent is and has is said where they are started",
  )
    .option("--conversation <id>", "continue this conversation, or begin it")
    .addOption(new Option("--continue", "continue the latest conversation").conflicts("conversation"))
    .option("--list", "print the conversations, and end")
    .option("--demo", "with a demo API of its own, whose operations are tools")
    .option("--json", "print the events as JSON, one per line")
    .action(async (words: string[], flags: ChatFlags) => (await import("./run.ts")).runChat(words, flags));
}

const chatHelp = `${commandsHelp}

Questions:
  With a pipe, a message and no terminal, or --json you can't be asked, and what would ask is
  denied. Programs that you name with --allow-command run then, with any arguments.
  On a terminal: yes, no or always, and Enter. yes and no can be short (y, n), always can't; what was typed
  before the question was shown does not count. Where an agent (--model acp/…) has answers of its own, they
  are listed, and the number of one and Enter chooses it.

Exit codes:
  0    answered, also where a tool failed: the answer says so
  1    something unexpected happened, or the answer can't be written
  2    a mistake in the arguments or the configuration
  7    the agent or its model failed
  8    with a message: answered, but a tool was denied (stderr says which)
  130  ended by Ctrl-C`;
