// `acp`, as help shows it.

import { Option, type Command } from "commander";
import { addSessionOptions, commandsHelp } from "../agent/flags.ts";
import { addCommand } from "../command-line/command.ts";
import { editors } from "./editors.ts";
import type { AcpFlags } from "./run.ts";

export function addAcp(program: Command): void {
  const acp = addCommand(program, "acp", {
    summary: "the agent in an editor",
    description:
      "Serves the Agent Client Protocol (ACP), version 1, on stdin and stdout: Zed, JetBrains, Neovim, Emacs and other editors start it and talk to the same agent as `hawser chat`. Sessions are conversations and are kept; the editor's folder is the folder of the session, and its MCP servers are tools of it.",
    notes: commandsHelp,
    examples: ["hawser acp --print zed", "hawser acp --model anthropic/claude-sonnet-5-5", "hawser acp --allow-command git --trust"],
  });
  addSessionOptions(acp)
    .addOption(new Option("--print <editor>", "print the configuration for this editor, and end").choices(Object.keys(editors)))
    .option("--debug-protocol", "print every message to stderr as [SEND] and [RECV]")
    .action(async (flags: AcpFlags) => (await import("./run.ts")).runAcp(flags));
}
