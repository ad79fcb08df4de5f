// `call`, as help shows it, and the options that commands share which are calls under another name.

import { fleetLimits } from "@hawser/fleet/internal/limits";
import { gatewayLimits } from "@hawser/gateway/internal/limits";
import { Option, type Command } from "commander";
import { addOutputOptions, addSpecOption, addTargetOptions } from "../api-target/flags.ts";
import { addCommand, collect, parseWhole } from "../command-line/command.ts";
import { addFleetOptions } from "../fleet/flags.ts";
import type { CallFlags } from "./item.ts";

export const dryRunText = "ask the API what it would do: the request is sent, with dryRun=true in its query";
/** What needs an answer. */
const answered = ["batch", "out", "stream", "includeHeaders", "timing", "jsonStats"];
const printRequestOption = (): Option =>
  new Option("--print-request", "print the request, without the token, and send nothing").conflicts(answered);

const maxRetries = 100;
const maxKeptBytes = 1_073_741_824;

export function addCall(program: Command): void {
  const call = addCommand(program, "call", {
    summary: "call an HTTP API",
    description:
      "Makes one call of the API, by path or by operation id, or a batch of them. The body goes whole and unchanged to a pipe or a file, and is shown on a terminal; --json prints everything about the call. POST, PUT, PATCH and DELETE need --yes.",
    notes: exitCodeHelp,
    examples: [
      "hawser call --demo --path /data/api/v1/gateway-info",
      "hawser call --demo --op listLogs --param limit=2 --json",
      "hawser call --demo --op readTag --param name=A --print-request",
      "hawser call --method POST --path /data/api/v1/scan/projects --yes",
      "hawser call --batch calls.ndjson --parallel 8",
      "hawser call --batch calls.ndjson --fleet nats://hub:4222 --site plant",
    ],
  });
  addRequestOptions(call);
  addTargetOptions(addSpecOption(call));
  addResponseOptions(addOutputOptions(call));
  addBatchOptions(call);
  addFleetBatchOptions(call);
  call.action(async (flags: CallFlags) => {
    if (flags.fleet !== undefined) return (await import("./run-fleet.ts")).runFleetCalls(flags);
    return flags.batch === undefined ? (await import("./run.ts")).runCall(flags) : (await import("./batch.ts")).runBatch(flags);
  });
}

const exitCodeHelp = `
Exit codes:
  0    success
  1    something unexpected happened, or the output can't be written
  2    a mistake in the arguments, the items or the configuration
  6    authentication: 401, 403
  7    network, timeout, every other HTTP failure, a body that was cut
  130  interrupted by Ctrl-C
  143  ended by SIGTERM`;

function addRequestOptions(command: Command): void {
  command
    .option("--method <method>", "the HTTP method (default: GET)")
    .option("--path <path>", "the path below the gateway's address")
    .option("--op <id>", "an operation id of the API document, instead")
    .option("--param <name=value>", "with --op: a parameter or a field of the body, as JSON or text; may be given several times", collect)
    .option("--query <key=value>", "a query parameter; may be given several times", collect)
    .option("--header <line>", "a header, 'Key: value'; may be given several times", collect)
    .option("--body <text>", "the body: text, @file, or - for stdin")
    .option("--form <name=value>", "a form field, name=@file for a file; may be given several times", collect)
    .option("--content-type <type>", "of the body (default: application/json)")
    .option("--dry-run", dryRunText)
    .addOption(printRequestOption())
    .option("--yes", "confirm POST, PUT, PATCH and DELETE")
    .option("--retry <n>", "how often to try again; GET, HEAD, OPTIONS, PUT, DELETE only", parseWhole(0, maxRetries))
    .option("--retry-backoff <duration>", "the first wait before that (default: 250ms)");
}

function addResponseOptions(command: Command): Command {
  return (
    command
      .option("--include-headers", "show the response's headers")
      .option(
        "--max-body <bytes>",
        `keep at most this much of the body (default: ${gatewayLimits.maxBodyBytes} on a terminal, with --json and --batch; else all of it)`,
        parseWhole(1, maxKeptBytes),
      )
      // The name that igw gives it.
      .addOption(new Option("--max-body-bytes <n>").hideHelp().argParser(parseWhole(0, maxKeptBytes)))
      .option("--stream", "print the body as it comes, whatever its size; a pipe and a file get it so anyway")
      .option("--out <file>", "write the body to a file, whatever its size")
  );
}

function addBatchOptions(command: Command): void {
  command
    .option("--batch <source>", "many calls: a JSON array or NDJSON from @file, a file, or - for stdin")
    .option("--parallel <n>", "with --batch: calls at the same time (default: 1)", parseWhole(1, gatewayLimits.rpcMaxWorkers))
    .option("--ordered", "with --batch: results in the order of the items")
    .addOption(new Option("--batch-output <format>", "with --batch (default: ndjson)").choices(["ndjson", "json"]));
}

function addFleetBatchOptions(command: Command): void {
  addFleetOptions(command, "with --batch: the calls are made by workers near their targets, see `rpc --fleet`; the NATS servers")
    .option("--site <name>", "with --fleet: the site of items that name none")
    .option("--attach <id>", "with --fleet: read the results of a batch, also after its sender has ended")
    .option("--after <n>", "with --attach: leave out the first results, which you have", parseWhole(0, fleetLimits.batchEntries))
    .option("--keep", "with --fleet: leave the results on the servers after they were read")
    .option("--cancel <id>", "with --fleet: cancel a whole batch");
}

export const addFixedCallOptions = (command: Command): Command =>
  addOutputOptions(addTargetOptions(command)).option("--include-headers", "show the response's headers").addOption(printRequestOption());
