// The flags of the agent runtime. `chat` and `shell` take them too and hand them on to the runtime that they start.

import { Option, type Command } from "commander";
import { collect, parseWhole, toFlag } from "../command-line/command.ts";
import { childProgram } from "../command-line/launcher.ts";
import { HawserError } from "@hawser/protocol";
import { checkFleetFlags, toFleetFlags, type FleetFlags } from "../fleet/flags.ts";

export interface AgentFlags extends FleetFlags {
  readonly model?: string;
  readonly contextWindow?: number;
  readonly root?: readonly string[];
  readonly allowCommand?: readonly string[];
  readonly tools?: readonly string[];
  /** A folder that attachments may lie in besides the roots. */
  readonly attachments?: string;
  readonly config?: string;
  /** The address of a demo API, whose operations are offered instead of those of the configuration's `gateway`. */
  readonly demoGateway?: string;
  readonly dataDir?: string;
  /** False for `--no-history`. */
  readonly history?: boolean;
  /** False for `--no-undo`. */
  readonly undo?: boolean;
  /** `commands`: as `deny`, but the programs of `allowCommand` may run. */
  readonly permissions?: "ask" | "deny" | "commands";
  /** What a failed tool means: a result that the model reads, or the end of the turn. */
  readonly toolFailure?: "result" | "fatal";
  /** What is around commands. */
  readonly sandbox?: "auto" | "require" | "off";
  /** What a folder brings along counts without a question. */
  readonly trust?: true;
  readonly debugProtocol?: true;
}

export const addAgentOptions = (command: Command): Command =>
  addSessionOptions(
    command.option("--root <folder>", "a folder that tools may touch; may be given several times (default: the current one)", collect),
  );

/** Those of a runtime whose clients say the folders. */
export function addSessionOptions(command: Command): Command {
  return command
    .option(
      "--model <name>",
      "anthropic[/<model>], openai[/<model>], openai-compatible/<model>, claude-code[/<model>], ollama/<model>, acp/<agent> or offline (else HAWSER_MODEL, else the first that can be used)",
    )
    .option(
      "--context-window <tokens>",
      "how many tokens the model's context holds, where it is not known to be less; near it, what was said is summarised",
      parseWhole(1_000, 100_000_000),
    )
    .option(
      "--allow-command <name>",
      "a program that may be run, in the sandbox where it works, else with all your rights; may be given several times (default: none)",
      collect,
    )
    .option("--tools <module>", "a .ts or .js file that exports tools; may be given several times", collect)
    .option(
      "--trust",
      "trust the folders from now on, also without this option: what they bring along (AGENTS.md, skills, and tools, MCP servers and instructions of .hawser/agent.json) counts; trusted-folders.json in the data folder keeps it",
    )
    .option("--config <file>", "the configuration (default: ~/.config/hawser/agent.json)")
    .option("--data-dir <folder>", "where conversations are kept (default: ~/.local/share/hawser)")
    .option("--no-history", "keep conversations in memory only")
    .option("--no-undo", "keep no copies of files, so that changes can't be listed or reverted")
    .addOption(
      new Option(
        "--permissions <how>",
        "what changes something: ask, deny without asking, or deny all but the programs of --allow-command (default: ask)",
      ).choices(["ask", "deny", "commands"]),
    )
    .addOption(
      new Option(
        "--sandbox <how>",
        "around commands: auto (where bubblewrap works), require (else no command runs) or off (default: auto)",
      ).choices(["auto", "require", "off"]),
    )
    .addOption(
      new Option(
        "--tool-failure <how>",
        "what a failed tool is: a result that the model reads, or fatal to its turn (default: result)",
      ).choices(["result", "fatal"]),
    );
}

export const commandsHelp = `
Commands:
  Where bubblewrap works, a program runs in a sandbox: it can write in the roots and nowhere else, and has
  no network. Elsewhere, and with --sandbox off, it can do what you can, also outside of the roots: rules
  compare the text of its arguments and don't contain it. Allow exact commands, for example in agent.json:
  {"permissions":[{"tool":"run_command","match":{"command":"git","args":["status"]},"decision":"allow"}]}`;

const handedOn = [
  "model",
  "contextWindow",
  "root",
  "allowCommand",
  "tools",
  "attachments",
  "config",
  "demoGateway",
  "dataDir",
  "permissions",
  "sandbox",
  "toolFailure",
] as const;

/** How this program starts its own agent with the same flags, in the same folder. `--flag=value`: no value is taken for a flag. */
export const toAgentArguments = (flags: AgentFlags): string[] => [
  ...process.execArgv,
  childProgram,
  ...(flags.fleet === undefined ? ["agent", ...toAgentFlags(flags)] : ["fleet", "host", ...toFleetFlags(flags)]),
];

/** With a fleet, the agent is another program. Throws `usage` for flags that are its own. */
export function checkHostFlags(flags: AgentFlags & { readonly demo?: true }): void {
  checkFleetFlags(flags);
  if (flags.fleet === undefined) return;
  const [own] = [...toAgentFlags(flags), ...(flags.demo ? ["--demo"] : [])];
  if (own === undefined) return;
  const name = own.split("=")[0] ?? own;
  throw new HawserError("usage", `${name} is for the runtime, which is on another machine: hawser agent --fleet <servers> ${name} …`);
}

/** The flags as they were written. */
export function toAgentFlags(flags: AgentFlags): string[] {
  const given = handedOn.flatMap((name) => [flags[name] ?? []].flat().map((value) => `${toFlag(name)}=${value}`));
  const switches = [
    ...(flags.history === false ? ["--no-history"] : []),
    ...(flags.undo === false ? ["--no-undo"] : []),
    ...(flags.trust ? ["--trust"] : []),
    ...(flags.debugProtocol ? ["--debug-protocol"] : []),
  ];
  return [...given, ...switches];
}
