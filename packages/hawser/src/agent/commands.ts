// `agent` and `chat`, as help shows them. What they do is loaded when one is run.

import { Option, type Command } from "commander";
import { addExamples, collect } from "../command-parts.ts";
import type { AgentFlags } from "./agent-flags.ts";
import type { ChatFlags } from "./run-chat.ts";

export function addAgentCommands(program: Command): void {
  addAgent(program);
  addChat(program);
}

function addAgent(program: Command): void {
  const agent = program
    .command("agent")
    .summary("an agent for a host program")
    .description(
      "Serves the agent protocol on stdin and stdout, one JSON object per line: a host writes messages and reads tokens, tool uses, results and ends. Works without a key: the embedded offline model answers then.",
    );
  addAgentOptions(agent)
    .option("--attachments <folder>", "a further folder that attachments may lie in, besides the roots")
    .option("--debug-protocol", "print every message to stderr as [SEND] and [RECV]")
    .addHelpText("after", protocolHelp)
    .action(async (flags: AgentFlags) => (await import("./run-agent.ts")).runAgent(flags));
  addExamples(agent, [
    `echo '{"id":"1","kind":"user_message","message":"list the files here"}' | hawser agent`,
    "hawser agent --model anthropic/claude-sonnet-5-5 --root ~/project",
    "hawser agent --allow-command git --allow-command npm",
    "hawser agent --permissions deny --no-history --debug-protocol",
  ]);
}

const commandsHelp = `
Commands:
  A program that is allowed can do what you can, also outside of the roots: rules compare the text of
  its arguments and don't contain it. Allow exact commands, for example in agent.json:
  {"permissions":[{"tool":"run_command","match":{"command":"git","args":["status"]},"decision":"allow"}]}`;

const protocolHelp = `${commandsHelp}

Protocol:
  The first line on stdout is {"type":"ready",…}. Then paste, for example:
  {"id":"test-1","kind":"user_message","message":"Hello"}
  Everything that can be sent and received: docs/protocol/agent.md`;

function addChat(program: Command): void {
  const chat = program
    .command("chat")
    .summary("talk to the agent here")
    .description(
      "Talks to an agent that works in the current folder. Without a message on a terminal: a conversation, with /help for what it knows. With a message, or one from a pipe: one answer, kept as a conversation unless --no-history is given. What changes something is asked before it is done; where nobody can be asked, it is denied unless a rule in the configuration allows it.",
    )
    .argument("[message...]", "what to say; without it, stdin is read where that is no terminal");
  addAgentOptions(chat)
    .option("--conversation <id>", "continue this conversation, or begin it")
    .addOption(new Option("--continue", "continue the latest conversation").conflicts("conversation"))
    .option("--list", "print the conversations, and end")
    .option("--demo", "with a demo API of its own, whose operations are tools")
    .option("--json", "print the events as JSON, one per line")
    .addHelpText("after", chatHelp)
    .action(async (words: string[], flags: ChatFlags) => (await import("./run-chat.ts")).runChat(words, flags));
  addExamples(chat, [
    "hawser chat",
    'hawser chat "list the files here and read the README"',
    "git diff | hawser chat --json",
    "hawser chat --continue",
    'hawser chat --demo "call listTags"',
    "hawser chat --list",
  ]);
}

const chatHelp = `${commandsHelp}

Questions:
  With a pipe, a message and no terminal, or --json nobody can be asked, and what would ask is
  denied. Programs that you name with --allow-command run then, with any arguments.
  On a terminal: yes, no or always, and Enter. yes and no can be short (y, n), always can't; what was typed
  before the question was shown does not count.

Exit codes:
  0    answered, also where a tool failed: the answer says so
  1    something unexpected happened, or the answer can't be written
  2    a mistake in the arguments or the configuration
  7    the agent or its model failed
  8    with a message: answered, but a tool was denied (stderr says which)
  130  ended by Ctrl-C`;

/** What the runtime takes, whoever starts it. */
export function addAgentOptions(command: Command): Command {
  return command
    .option(
      "--model <name>",
      "e.g. anthropic/claude-sonnet-5-5, openai/gpt-5.5, claude-code/sonnet, ollama/<model>, offline (else HAWSER_MODEL, else what there is)",
    )
    .option("--root <folder>", "a folder that tools may touch; may be given several times (default: the current one)", collect)
    .option(
      "--allow-command <name>",
      "a program that may be run, with all your rights; may be given several times (default: none)",
      collect,
    )
    .option("--tools <module>", "a .ts or .js file that exports tools; may be given several times", collect)
    .option("--config <file>", "the configuration (default: ~/.config/hawser/agent.json)")
    .option("--data-dir <folder>", "where conversations are kept (default: ~/.local/share/hawser)")
    .option("--no-history", "keep conversations in memory only")
    .addOption(
      new Option(
        "--permissions <how>",
        "what changes something: ask, deny without asking, or deny all but the programs of --allow-command (default: ask)",
      ).choices(["ask", "deny", "commands"]),
    )
    .addOption(
      new Option(
        "--tool-failure <how>",
        "what a failed tool is: a result that the model reads, or fatal to its turn (default: result)",
      ).choices(["result", "fatal"]),
    );
}
