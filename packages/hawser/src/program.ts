// The commands as one program: their order, what they all have, and how a mistake in the arguments is told.

import { Command, Help } from "commander";
import { answerMistakesInJson } from "./api-target/flags.ts";
import { addExamples, addHelp, exitWith } from "./command-line/command.ts";
import { toSentence, warnOfUnknownTopics } from "./command-line/failure.ts";
import { printTo } from "./command-line/output.ts";
import { commandName, programName, readVersion } from "./command-line/launcher.ts";

const usageExitCode = 2;

type Declarations = Readonly<Record<string, () => Promise<(program: Command) => void>>>;

const forAgents: Declarations = {
  agent: async () => (await import("./agent/command.ts")).addAgent,
  acp: async () => (await import("./acp/command.ts")).addAcp,
  chat: async () => (await import("./chat/command.ts")).addChat,
  shell: async () => (await import("./shell/command.ts")).addShell,
  expose: async () => (await import("./expose/command.ts")).addExpose,
  bridge: async () => (await import("./bridge/command.ts")).addBridge,
  fleet: async () => (await import("./fleet/command.ts")).addFleet,
  echo: async () => (await import("./echo/command.ts")).addEcho,
  conform: async () => (await import("./conform/command.ts")).addConform,
  tour: async () => (await import("./tour/command.ts")).addTour,
};

const forApis: Declarations = {
  call: async () => (await import("./call/command.ts")).addCall,
  rpc: async () => (await import("./rpc/command.ts")).addRpc,
  api: async () => (await import("./api/command.ts")).addApi,
  config: async () => (await import("./config/command.ts")).addConfig,
  doctor: async () => (await import("./doctor/command.ts")).addDoctor,
  gateway: async () => (await import("./gateway/command.ts")).addGateway,
  schema: async () => (await import("./schema/command.ts")).addSchema,
  // After those that have some of them.
  igw: async () => (await import("./igw/command.ts")).addIgwCommands,
};

/** What these say and do depends on all commands. */
const dependOnAll = new Set(["schema", "igw"]);

interface ProgramChoice {
  /** The first argument: where it names a command that stands on its own, no other is declared. */
  readonly word?: string | undefined;
  readonly withCompletion?: boolean;
}

export async function createProgram({ word = "", withCompletion = true }: ProgramChoice = {}): Promise<Command> {
  const isAlone = !dependOnAll.has(word) && (Object.hasOwn(forAgents, word) || Object.hasOwn(forApis, word));
  const isNeeded = (name: string): boolean => !isAlone || name === word || (name === "igw" && word === "api");
  async function declare(commands: Declarations): Promise<void> {
    for (const [name, load] of Object.entries(commands)) if (isNeeded(name)) (await load())(program);
  }
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
  await declare(forAgents);
  const others = new Set(program.commands);
  await declare(forApis);
  for (const command of program.commands) if (!others.has(command)) answerMistakesInJson(command.helpGroup("Gateway:"));
  if (withCompletion && !isAlone) {
    const { addCompletion } = await import("./completion/command.ts");
    addCompletion(program, () => createProgram({ withCompletion: false }));
  }
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
