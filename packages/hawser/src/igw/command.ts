// Commands of igw that this program leaves to `call`: hidden, and each tells the line that does the same.

import type { Command } from "commander";

/** The first words of commands that only igw has. */
const groups = ["backup", "diagnostics", "logs", "restart", "tags", "wait"];

/** After `api` and `scan`, which have some of them. */
export function addIgwCommands(program: Command): void {
  for (const name of groups) addRefusal(program, name);
  for (const parent of program.commands) {
    if (parent.name() === "api") for (const name of ["refresh", "capability"]) addRefusal(parent, name);
    if (parent.name() === "scan") addRefusal(parent, "config");
  }
}

function addRefusal(parent: Command, name: string): void {
  const words = parent.parent ? [parent.name(), name] : [name];
  parent
    .command(name, { hidden: true })
    .argument("[words...]")
    .helpOption(false)
    .allowUnknownOption()
    .action(async (rest: string[]) => (await import("./run.ts")).refuseIgwCommand([...words, ...rest]));
}
