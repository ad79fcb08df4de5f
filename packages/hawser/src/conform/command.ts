// `conform`, as help shows it.

import type { Command } from "commander";
import { addCommand, collect, parseWhole } from "../command-line/command.ts";
import type { ConformOptions } from "./run.ts";

const maxTimeoutMs = 3_600_000;
const maxJobs = 64;

export function addConform(program: Command): void {
  addCommand(program, "conform", {
    summary: "check an implementation of a protocol",
    description:
      "Starts the command once per scenario and checks what it does. A scenario beyond the contract never fails; a command without it is said not to support it. Exit code 0: nothing failed, 1: something failed, 2: a mistake in the arguments.",
    notes: suiteHelp,
    examples: [
      "hawser conform echo -- hawser echo",
      "hawser conform bridge -- python3 -m my_bridge {socket} {schema}",
      "hawser conform parent -- hawser expose my-tools.ts",
      "hawser conform rpc -- hawser rpc",
      "hawser conform agent -- hawser agent",
      'hawser conform acp --tool-prompt "Run ls." -- my-acp-agent',
      "hawser conform bridge --only parallel --only is-error -- ./my-bridge",
      "hawser conform parent --list",
    ],
  })
    .usage("[options] <suite> -- <command...>")
    .argument("[suite]", "which contract: echo, bridge, parent, rpc, agent or acp")
    .argument("[command...]", "the implementation to run, after --")
    .option("--json", "print the report as JSON")
    .option("--only <id>", "run this scenario only; may be given several times", collect)
    .option("--timeout <ms>", "longest wait of one step (default: 5000; acp: 30000)", parseWhole(1, maxTimeoutMs))
    .option("--jobs <n>", `scenarios that run at the same time, 1 to ${maxJobs} (default: 4)`, parseWhole(1, maxJobs))
    .option("--env <name=value>", "a variable for the command; may be given several times", collect)
    .option("--prompt <text>", "acp: makes the agent answer with some text")
    .option("--tool-prompt <text>", "acp: makes it list the files of the session's folder with a tool")
    .option("--permission-prompt <text>", "acp: makes it ask for permission to change a file in that folder")
    .option("--slow-prompt <text>", "acp: makes a turn that lasts until it is cancelled")
    .option("--folder <path>", "acp: what is in this folder is copied into the folder of each session")
    .option("--list", "print the scenarios, or without a suite all suites, and run nothing; with --json as data")
    .action(async (suite: string | undefined, command: string[], options: ConformOptions) =>
      (await import("./run.ts")).runConform(suite, command, options),
    );
}

const suiteHelp = `
Suites:
  echo    A server of the echo protocol on stdin and stdout.
  bridge  An MCP server whose tools are called through a socket. {socket} and
          {schema} in its arguments are the paths of the socket and of the
          schema file; without them the paths are added at the end.
  parent  A program that offers tools on a socket. It prints its configuration,
          {"type":"stdio","command":…,"args":[…, socket, schema]}, on stdout,
          ends on SIGTERM, and offers these tools:
            echo           returns its arguments as JSON text
            fail           throws an error of the class ValueError, "boom"
            wait {ms}      returns "waited" after that many milliseconds
            big {bytes}    returns a text of that many characters
            empty          returns nothing
  rpc     A server of igw-rpc-v1 on stdin and stdout. {url} and {token} in its
          arguments are the address and the token of the API that it shall
          call; without them --gateway-url and --api-key are added at the end.
  acp     An agent of the Agent Client Protocol, version 1, on stdin and stdout.
          Each scenario has a folder of its own with two files. The prompts that
          make an agent do something fit hawser acp with HAWSER_MODEL=offline,
          which is set unless you set it; for another agent give your own, "" if
          there is none. A scenario whose prompt does not do that is skipped;
          one for what the agent does not advertise is not supported.
  agent   An agent runtime on stdin and stdout. It gets folders of its own for
          configuration and data, and HAWSER_MODEL=offline, unless that is set.`;
