// `agent`, as help shows it.

import { Option, type Command } from "commander";
import { addCommand } from "../command-line/command.ts";
import { addFleetOptions } from "../fleet/flags.ts";
import { addAgentOptions, commandsHelp, type AgentFlags } from "./flags.ts";

export function addAgent(program: Command): void {
  const agent = addCommand(program, "agent", {
    summary: "an agent for a host program",
    description:
      "Serves the agent protocol on stdin and stdout, one JSON object per line: a host writes messages and reads tokens, tool uses, results and ends. Works without a key: the embedded offline model answers then.",
    notes: protocolHelp,
    examples: [
      `echo '{"id":"1","kind":"user_message","message":"list the files here"}' | hawser agent`,
      "hawser agent --model anthropic/claude-sonnet-5-5 --root ~/project",
      "hawser agent --allow-command git --allow-command npm",
      "hawser agent --permissions deny --no-history --debug-protocol",
      "hawser agent --fleet nats://127.0.0.1:4222",
    ],
  });
  addFleetOptions(
    addAgentOptions(agent),
    "serve the hosts of a fleet at these servers instead of stdin, and keep the conversations there; start as many as you like",
  )
    .option("--attachments <folder>", "a further folder that attachments may lie in, besides the roots")
    // For `--demo` of `chat` and `shell`.
    .addOption(new Option("--demo-gateway <url>").hideHelp())
    .option("--debug-protocol", "print every message to stderr as [SEND] and [RECV]")
    .action(async (flags: AgentFlags) => (await import("./run.ts")).runAgent(flags));
}

const protocolHelp = `${commandsHelp}

Protocol:
  The first line on stdout is {"type":"ready",…}. Then paste, for example:
  {"id":"test-1","kind":"user_message","message":"Hello"}
  Everything that can be sent and received: docs/protocol/agent.md`;
