// `echo`, as help shows it.

import { Option, type Command } from "commander";
import { addCommand, parseWhole } from "../command-line/command.ts";
import type { EchoOptions } from "./run.ts";

const maxWorkers = 1_024;
const maxQueueSize = 100_000;

export function addEcho(program: Command): void {
  addCommand(program, "echo", {
    summary: "serve the echo protocol",
    description:
      "Serves the echo protocol on stdin and stdout, to check that a host's pipes, limits and cancels work before there is an agent behind them.",
    examples: [
      `echo '{"id":"1","kind":"echo","value":"hello"}' | hawser echo`,
      "hawser echo --workers 1 --queue-size 4",
      "hawser echo --socket",
    ],
  })
    .option("--workers <n>", `requests that run at the same time, 1 to ${maxWorkers} (default: 8)`, parseWhole(1, maxWorkers))
    .option("--queue-size <n>", `requests that may wait, 1 to ${maxQueueSize} (default: 64)`, parseWhole(1, maxQueueSize))
    .addOption(new Option("--codec <name>", "framing on stdin and stdout (default: ndjson)").choices(["ndjson", "length-prefix"]))
    .addOption(
      new Option(
        "--socket",
        "listen on a fresh Unix socket with length-prefixed frames instead; prints its path, stops on Ctrl-C, SIGTERM or when its parent ends",
      ).conflicts("codec"),
    )
    .action(async (options: EchoOptions) => (await import("./run.ts")).runEcho(options));
}
