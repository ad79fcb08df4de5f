// The commands as one program: their order, what they all have, and how a mistake in the arguments is told.

import { Command, Help } from "commander";
import { addAgent } from "./agent/command.ts";
import { addApi } from "./api/command.ts";
import { answerMistakesInJson } from "./api-target/flags.ts";
import { addBridge } from "./bridge/command.ts";
import { addCall } from "./call/command.ts";
import { addChat } from "./chat/command.ts";
import { addExamples, addHelp, exitWith } from "./command-line/command.ts";
import { toSentence, warnOfUnknownTopics } from "./command-line/failure.ts";
import { printTo } from "./command-line/output.ts";
import { addCompletion } from "./completion/command.ts";
import { addConfig } from "./config/command.ts";
import { addConform } from "./conform/command.ts";
import { addDoctor } from "./doctor/command.ts";
import { addEcho } from "./echo/command.ts";
import { addExpose } from "./expose/command.ts";
import { addGateway } from "./gateway/command.ts";
import { addIgwCommands } from "./igw/command.ts";
import { commandName, programName, readVersion } from "./launcher.ts";
import { addRpc } from "./rpc/command.ts";
import { addSchema } from "./schema/command.ts";
import { addShell } from "./shell/command.ts";
import { addTour } from "./tour/command.ts";

const usageExitCode = 2;

const forAgents = [addAgent, addChat, addShell, addExpose, addBridge, addEcho, addConform, addTour];
const forApis = [addCall, addRpc, addApi, addConfig, addDoctor, addGateway, addSchema, addIgwCommands];

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
  for (const add of forAgents) add(program);
  const others = new Set(program.commands);
  for (const add of forApis) add(program);
  for (const command of program.commands) if (!others.has(command)) answerMistakesInJson(command.helpGroup("Gateway:"));
  if (withCompletion) addCompletion(program, () => createProgram({ withCompletion: false }));
  finish(program, readVersion());
  return program;
}

const purposes = {
  hawser: "Ties agents to the programs around them.",
  igw: "Calls HTTP APIs for scripts and host programs: the gateway of Hawser, under the name that hosts know.",
};

const gatewayExamples = ["hawser call --demo --path /data/api/v1/gateway-info", "hawser api list --demo", "hawser rpc --demo"] as const;

// Under the name igw the other parts work too, but people who call it that look for the gateway.
function visibleCommands(this: Help, command: Command): Command[] {
  const visible = Help.prototype.visibleCommands.call(this, command);
  if (command.parent !== null || programName() !== "igw") return visible;
  return visible.filter((each) => each.helpGroup() !== "" || ["completion", "help"].includes(each.name()));
}

/** What every command has. Hidden `complete` takes everything as words to complete. */
function finish(command: Command, version: string): void {
  command.version(version, "-V, --version", "print the version");
  command.helpOption("-h, --help", "print this help");
  command.showHelpAfterError(`usage: ${nameOf(command)} ${command.usage()}   (${nameOf(command)} --help explains)`);
  if (command.commands.length > 0) addHelp(command);
  for (const below of command.commands) if (below.name() !== "complete") finish(below, version);
}

const nameOf = (command: Command): string => (command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name());
