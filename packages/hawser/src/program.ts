// The commands, their options and their help. What a command does is loaded only when it is run, so
// that asking for help costs next to nothing.

import { Command, Help, Option } from "commander";
import { addAgentCommands } from "./agent/commands.ts";
import { addShellCommand } from "./shell/commands.ts";
import { addBridge } from "./bridge-command.ts";
import { addExamples, collect, exitWith, parseWhole } from "./command-parts.ts";
import type { ConformOptions } from "./commands/conform.ts";
import type { EchoOptions } from "./commands/echo.ts";
import type { ExposeOptions } from "./commands/expose.ts";
import { addCompletion } from "./completion-command.ts";
import { warnOfUnknownTopics } from "./debug-topics.ts";
import { toSentence } from "./failure.ts";
import { addGatewayCommands } from "./gateway/commands.ts";
import { addHelp } from "./help-command.ts";
import { commandName, programName, readVersion } from "./launcher.ts";
import { printTo } from "./terminal.ts";

const maxWorkers = 1_024;
const maxQueueSize = 100_000;
const maxTimeoutMs = 3_600_000;
const maxJobs = 64;
const usageExitCode = 2;

export function createProgram({ withCompletion = true } = {}): Command {
  const program = new Command(commandName()).description(purposes[programName()]).configureOutput({
    writeOut: (text) => printTo(process.stdout, text),
    writeErr: (text) => printTo(process.stderr, text),
    outputError: (text, write) => write(toSentence(text)),
  });
  // Arguments and options are on each command's own page; here they would push the summaries over the edge.
  program.configureHelp({ subcommandTerm: (command) => command.name(), visibleCommands });
  program.hook("preAction", warnOfUnknownTopics);
  exitWith(program, usageExitCode);
  addExamples(program, programName() === "igw" ? gatewayExamples : ["hawser tour", "hawser expose tools.ts -- claude", gatewayExamples[0]]);
  addAgentCommands(program);
  addShellCommand(program);
  addExpose(program);
  addBridge(program);
  addEcho(program);
  addConform(program);
  addTour(program);
  addGatewayCommands(program);
  if (withCompletion) addCompletion(program, () => createProgram({ withCompletion: false }));
  finish(program, readVersion());
  return program;
}

const purposes = {
  hawser: "Ties agents to the programs around them.",
  igw: "Calls HTTP APIs for scripts and host programs: the gateway of Hawser, under the name that hosts know.",
};

const gatewayExamples = ["hawser call --demo --path /data/api/v1/gateway-info", "hawser api list --demo", "hawser rpc --demo"] as const;

// Under the name of igw the other parts work too, but who calls it so looks for the gateway.
function visibleCommands(this: Help, command: Command): Command[] {
  const visible = Help.prototype.visibleCommands.call(this, command);
  return command.parent === null && programName() === "igw" ? visible.filter(isForIgw) : visible;
}

const isForIgw = (command: Command): boolean => command.helpGroup() !== "" || ["completion", "help"].includes(command.name());

/** What every command has; hidden ones answer for themselves. */
function finish(command: Command, version: string): void {
  command.version(version, "-V, --version", "print the version");
  command.helpOption("-h, --help", "print this help");
  command.showHelpAfterError(`usage: ${nameOf(command)} ${command.usage()}   (${nameOf(command)} --help explains)`);
  if (command.commands.length > 0) addHelp(command);
  for (const below of command.commands) if (below.name() !== "complete") finish(below, version);
}

function addExpose(program: Command): void {
  const expose = program
    .command("expose")
    .summary("offer functions to MCP clients")
    .description(
      "Offers the tools that a module exports. With a command: runs it with the tools added, ends with it and returns its exit code. Without: prints the configuration for a client and serves until Ctrl-C, SIGTERM or the end of whoever started it.",
    )
    .usage("[options] <module> [-- <command...>]")
    .argument("<module>", "a .ts or .js file that exports tools: made by defineTool, of the AI SDK or the Agent SDK, or lists of them")
    .argument(
      "[command...]",
      "after --: claude, codex, gemini or opencode with its arguments; or any other program, with {config} where the path of an mcpServers file belongs",
    )
    .option("--name <name>", "the server's name in the client (default: the module's)")
    .option("--address <name>", "a fixed address: what is printed stays valid over restarts, and clients learn of other tools")
    .addOption(
      new Option("--print <client>", "whose configuration to print (default: json, how to start the server)").choices([
        "claude",
        "codex",
        "gemini",
        "opencode",
        "json",
      ]),
    )
    .action(async (module: string, command: string[], options: ExposeOptions) =>
      (await import("./commands/expose.ts")).runExpose(module, command, options),
    );
  addExamples(expose, [
    "hawser expose tools.ts -- claude",
    "hawser expose tools.ts --name harbour -- codex",
    "hawser expose tools.ts -- mcp-inspector --cli --config {config}",
    "hawser expose tools.ts --print codex",
  ]);
}

function addEcho(program: Command): void {
  const echo = program
    .command("echo")
    .summary("serve the echo protocol")
    .description(
      "Serves the echo protocol on stdin and stdout, to check that a host's pipes, limits and cancels work before there is an agent behind them.",
    )
    .option("--workers <n>", `requests that run at the same time, 1 to ${maxWorkers} (default: 8)`, parseWhole(1, maxWorkers))
    .option("--queue-size <n>", `requests that may wait, 1 to ${maxQueueSize} (default: 64)`, parseWhole(1, maxQueueSize))
    .addOption(new Option("--codec <name>", "framing on stdin and stdout (default: ndjson)").choices(["ndjson", "length-prefix"]))
    .addOption(
      new Option(
        "--socket",
        "listen on a fresh Unix socket with length-prefixed frames instead; prints its path, stops on Ctrl-C, SIGTERM or when its parent ends",
      ).conflicts("codec"),
    )
    .action(async (options: EchoOptions) => (await import("./commands/echo.ts")).runEcho(options));
  addExamples(echo, [
    `echo '{"id":"1","kind":"echo","value":"hello"}' | hawser echo`,
    "hawser echo --workers 1 --queue-size 4",
    "hawser echo --socket",
  ]);
}

function addConform(program: Command): void {
  const conform = program
    .command("conform")
    .summary("check an implementation of a protocol")
    .description(
      "Starts the command once per scenario and checks what it does. A scenario beyond the contract never fails; without it the command is said not to support it. Exit code 0: nothing failed, 1: something failed, 2: a mistake in the arguments.",
    )
    .usage("[options] <suite> -- <command...>")
    .argument("[suite]", "which contract: echo, bridge, parent, rpc or agent")
    .argument("[command...]", "the implementation to run, after --")
    .option("--json", "print the report as JSON")
    .option("--only <id>", "run this scenario only; may be given several times", collect)
    .option("--timeout <ms>", "longest wait of one step (default: 5000)", parseWhole(1, maxTimeoutMs))
    .option("--jobs <n>", `scenarios that run at the same time, 1 to ${maxJobs} (default: 4)`, parseWhole(1, maxJobs))
    .option("--list", "print the scenarios, or without a suite all suites, and run nothing; with --json as data")
    .action(async (suite: string | undefined, command: string[], options: ConformOptions) =>
      (await import("./commands/conform.ts")).runConform(suite, command, options),
    );
  conform.addHelpText("after", suiteHelp);
  addExamples(conform, [
    "hawser conform echo -- hawser echo",
    "hawser conform bridge -- python3 -m my_bridge {socket} {schema}",
    "hawser conform parent -- hawser expose my-tools.ts",
    "hawser conform rpc -- hawser rpc",
    "hawser conform agent -- hawser agent",
    "hawser conform bridge --only parallel --only is-error -- ./my-bridge",
    "hawser conform parent --list",
  ]);
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
            wait {ms}      returns "waited" after so many milliseconds
            big {bytes}    returns a text of so many characters
            empty          returns nothing
  rpc     A server of igw-rpc-v1 on stdin and stdout. {url} and {token} in its
          arguments are the address and the token of the API that it shall
          call; without them --gateway-url and --api-key are added at the end.
  agent   An agent runtime on stdin and stdout. It gets folders of its own for
          configuration and data, and HAWSER_MODEL=offline, unless that is set.`;

function addTour(program: Command): void {
  const tour = program
    .command("tour")
    .summary("see it work, in a few seconds")
    .description("Starts real child processes on this machine and shows what the wire guarantees. Needs no key, no account and no network.")
    .action(async () => (await import("./commands/tour.ts")).runTourCommand());
  addExamples(tour, ["hawser tour", "hawser tour | cat"]);
}

const nameOf = (command: Command): string => (command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name());
