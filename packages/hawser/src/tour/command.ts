// `tour`, as help shows it.

import type { Command } from "commander";
import { addCommand } from "../command-line/command.ts";

export function addTour(program: Command): void {
  addCommand(program, "tour", {
    summary: "see it work, in a few seconds",
    description: "Starts real child processes on this machine and shows what the wire guarantees. Needs no key, no account and no network.",
    examples: ["hawser tour", "hawser tour | cat"],
  }).action(async () => (await import("./run.ts")).runTour());
}
