// `rpc`, as help shows it.

import { InvalidArgumentError, Option, type Command } from "commander";
import { gatewayLimits } from "@hawser/gateway/internal/limits";
import { addSpecOption, addTargetOptions } from "../api-target/flags.ts";
import { addCommand, parseWhole } from "../command-line/command.ts";
import { addFleetOptions } from "../fleet/flags.ts";
import type { RpcFlags } from "./run.ts";

export function addRpc(program: Command): void {
  const { rpcMaxWorkers, rpcMaxQueuedMessages, maxBodyBytes } = gatewayLimits;
  const rpc = addCommand(program, "rpc", {
    summary: "serve calls to a host program",
    description:
      "Serves igw-rpc-v1 on stdin and stdout: a host program makes many calls of the API through this one process, one JSON object per line each way. With --fleet: makes the calls of `hawser call --batch --fleet` for one site, with this machine's address and token.",
    examples: [
      `echo '{"id":1,"op":"hello"}' | hawser rpc`,
      `echo '{"op":"call","args":{"op":"listTags"}}' | hawser rpc --demo`,
      "hawser rpc --profile plant --workers 8 --queue-size 256",
      "hawser rpc --fleet nats://127.0.0.1:4222 --site plant --rate 20",
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
  addFleetOptions(rpc, "make the calls of batches for a site, instead: the NATS servers, e.g. nats://127.0.0.1:4222")
    .option("--site <name>", "with --fleet: the site. One worker is active for each; others take its place when it is lost")
    .option("--rate <calls>", "with --fleet: calls per second at most, or 30/m for a minute, 100/h for an hour", parseRate);
  // stdin is the protocol here. The option is known all the same, so that its user is told what to use instead.
  rpc.options.find(({ long }) => long === "--api-key-stdin")?.hideHelp();
  rpc.action(async (flags: RpcFlags) =>
    flags.fleet === undefined ? (await import("./run.ts")).runRpc(flags) : (await import("./run-fleet.ts")).runSite(flags),
  );
}

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

/** Per second. */
function parseRate(text: string): number {
  const [, count = "0", unit = "s"] = /^(\d{1,6})(?:\/([smh]))?$/.exec(text) ?? [];
  const rate = Number(count) / (secondsOf[unit] ?? 1);
  if (rate === 0) throw new InvalidArgumentError("Give calls per second, as in 20, or per minute or hour, as in 30/m.");
  return rate;
}
