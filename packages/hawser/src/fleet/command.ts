// `fleet`, as help shows it: a server to try it out with, who is there, and telling a machine to leave.

import { Option, type Command } from "commander";
import { addCommand, maxPort, parseWhole } from "../command-line/command.ts";
import { addAgentOptions } from "../agent/flags.ts";
import { addFleetOptions, defaultPort, type FleetFlags } from "./flags.ts";
import type { DrainFlags, StatusFlags } from "./run.ts";
import type { FleetAgentFlags } from "./run-agent.ts";
import type { UpFlags } from "./run-up.ts";

const maxServers = 5;

export function addFleet(program: Command): void {
  const fleet = addCommand(program, "fleet", {
    summary: "more than one machine, on NATS",
    description: "Tools on other machines, over NATS: starts a server to try it out, shows who is there, and tells machines to leave.",
    examples: ["hawser fleet up", "hawser expose tools.ts --fleet nats://127.0.0.1:4222 --name plant", "hawser fleet status"],
  });
  addUp(fleet);
  addFleetOptions(
    addCommand(fleet, "status", {
      summary: "show who is there",
      description:
        "Lists the services that answer, with their machines and the calls they had, and the conversations with the runtimes that have them. On a terminal it refreshes until Ctrl-C.",
      examples: ["hawser fleet status", "hawser fleet status --json", "hawser fleet status --watch --json"],
    }),
  )
    .option("--json", "for programs: one line of JSON, then it ends")
    .option("--watch", "again and again until Ctrl-C, as on a terminal; with --json one line each time")
    .addOption(new Option("--once", "one list, then it ends, also on a terminal").conflicts("watch"))
    .action(async (flags: StatusFlags) => (await import("./run.ts")).runStatus(flags));
  addHost(fleet);
  addFleetOptions(
    addCommand(fleet, "drain", {
      summary: "tell machines to leave",
      description:
        "Tells the machines of a service, or one of them by its id, to finish what runs, take nothing new, and end. Agent runtimes are the service `agents`; those of `hawser fleet agent` leave together by the name `prompts`.",
      examples: ["hawser fleet drain plant", "hawser fleet drain 3f2a…"],
    }),
  )
    .argument("<name>", "a service, or the id of one machine, as `hawser fleet status` shows them")
    .action(async (name: string, flags: DrainFlags) => (await import("./run.ts")).runDrain(name, flags));
  addFleetAgent(fleet);
}

function addUp(fleet: Command): void {
  addCommand(fleet, "up", {
    summary: "run a server to try it out",
    description:
      "Runs a NATS server on loopback, or a cluster of several, with the settings that a fleet needs, until Ctrl-C. It is the nats-server of the PATH, else one that is fetched once. It is for trying a fleet out; machines that rely on one need servers of their own.",
    examples: ["hawser fleet up", "hawser fleet up --servers 3", "hawser fleet up --port 5222"],
  })
    .option("--servers <n>", `how many, as a cluster, 1 to ${maxServers} (default: 1)`, parseWhole(1, maxServers))
    .option(
      "--port <n>",
      `where it listens; the next ones of a cluster listen beside it; 0 is any free one (default: ${defaultPort})`,
      parseWhole(0, maxPort),
    )
    .action(async (flags: UpFlags) => (await import("./run-up.ts")).runUp(flags.port ?? defaultPort, flags.servers ?? 1));
}

function addFleetAgent(fleet: Command): void {
  addFleetOptions(
    addAgentOptions(
      addCommand(fleet, "agent", {
        summary: "an agent for Synadia's agent SDKs",
        description:
          "Runs an agent on this machine that programs with Synadia's agent SDK find and prompt. All prompts are one conversation. With --shared the runtimes of the fleet answer, and the conversation survives its machine. The program that prompts can't be asked whether a tool may run: what would ask is denied.",
        examples: [
          "hawser fleet agent --name plant",
          "hawser fleet agent --owner ada --model anthropic/claude-sonnet-5-5 --root ~/project",
        ],
      }),
    ),
  )
    .option("--shared", "let the runtimes answer that were started with `hawser agent --fleet`; the agent's options are theirs")
    .option("--name <session>", "what it is called there (default: default)")
    .option("--owner <name>", "whose agent it is (default: this user)")
    .action(async (flags: FleetAgentFlags) => (await import("./run-agent.ts")).runAgent(flags));
}

/** What programs in any language start. */
function addHost(fleet: Command): void {
  addFleetOptions(
    addCommand(fleet, "host", {
      summary: "the agent protocol, answered by a fleet",
      description:
        "Speaks the agent protocol on stdin and stdout as `hawser agent` does, for a program that starts it; the runtimes of the fleet answer. It finds the one that has a conversation, and follows the conversation to the next one.",
      examples: [`echo '{"id":"1","kind":"user_message","message":"hello"}' | hawser fleet host`],
    }),
  ).action(async (flags: FleetFlags) => (await import("./run-host.ts")).runHost(flags));
}
