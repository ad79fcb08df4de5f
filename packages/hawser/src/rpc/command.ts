// `rpc`, as help shows it.

import { Option, type Command } from "commander";
import { gatewayLimits } from "@hawser/gateway/internal/limits";
import { addSpecOption, addTargetOptions } from "../api-target/flags.ts";
import { addCommand, parseWhole } from "../command-line/command.ts";
import type { RpcFlags } from "./run.ts";

export function addRpc(program: Command): void {
  const { rpcMaxWorkers, rpcMaxQueuedMessages, maxBodyBytes } = gatewayLimits;
  const rpc = addCommand(program, "rpc", {
    summary: "serve calls to a host program",
    description:
      "Serves igw-rpc-v1 on stdin and stdout: a host program makes many calls of the API through this one process, one JSON object per line each way.",
    examples: [
      `echo '{"id":1,"op":"hello"}' | hawser rpc`,
      `echo '{"op":"call","args":{"op":"listTags"}}' | hawser rpc --demo`,
      "hawser rpc --profile plant --workers 8 --queue-size 256",
    ],
  })
    .option("--workers <n>", `calls that run at the same time, 1 to ${rpcMaxWorkers} (default: 1)`, parseWhole(1, rpcMaxWorkers))
    .option("--queue-size <n>", `calls that may wait, 1 to ${rpcMaxQueuedMessages} (default: 64)`, parseWhole(1, rpcMaxQueuedMessages))
    .addOption(
      new Option("--overflow <what>", "when the queue is full: stop reading, or refuse (default: block)").choices(["block", "reject"]),
    )
    .option("--include-headers", "answer with the response's headers")
    .option("--max-body <bytes>", `keep at most this much of a body (default: ${maxBodyBytes})`, parseWhole(1, maxBodyBytes))
    // Hosts of igw may say so, though there is only JSON here.
    .addOption(new Option("--json").hideHelp());
  addTargetOptions(addSpecOption(rpc));
  // stdin is the protocol here. The option is known all the same, so that its user is told what to use instead.
  rpc.options.find(({ long }) => long === "--api-key-stdin")?.hideHelp();
  rpc.action(async (flags: RpcFlags) => (await import("./run.ts")).runRpc(flags));
}
