// The definitions of the commands that make calls: `call`, `rpc`, and `gateway` and `scan`, which are calls under a name.

import { Option, type Command } from "commander";
import { limits } from "@hawser/wire";
import { addExamples, collect, parseWhole } from "../command-parts.ts";
import { addOutputOptions, addSpecOption, addTargetOptions, hiddenOption } from "./flag-groups.ts";
import type { BatchFlags } from "./run-batch.ts";
import type { CallFlags } from "./run-call.ts";
import type { DemoFlags } from "./run-demo.ts";
import type { RpcFlags } from "./run-rpc.ts";

const dryRunText = "ask the API what it would do: the request is sent, with dryRun=true in its query";
const printRequestOption = (): Option =>
  new Option("--print-request", "print the request, without the token, and send nothing").conflicts([
    "batch",
    "out",
    "stream",
    "includeHeaders",
    "timing",
    "jsonStats",
  ]);

const maxPort = 65_535;
const maxRetries = 100;
const maxKeptBytes = 1_073_741_824;

export function addCall(program: Command): void {
  const call = program
    .command("call")
    .summary("call an HTTP API")
    .description(
      "Makes one call of the API, by path or by operation id, or a batch of them. The body goes whole and unchanged to a pipe or a file, and is shown on a terminal; --json prints everything about the call. POST, PUT, PATCH and DELETE need --yes.",
    );
  addRequestOptions(call);
  addTargetOptions(addSpecOption(call));
  addResponseOptions(addOutputOptions(call));
  addBatchOptions(call);
  call.action(async (flags: CallFlags & BatchFlags) =>
    flags.batch === undefined ? (await import("./run-call.ts")).runCall(flags) : (await import("./run-batch.ts")).runBatch(flags),
  );
  call.addHelpText("after", exitCodeHelp);
  addExamples(call, [
    "hawser call --demo --path /data/api/v1/gateway-info",
    "hawser call --demo --op listLogs --param limit=2 --json",
    "hawser call --demo --op readTag --param name=A --print-request",
    "hawser call --method POST --path /data/api/v1/scan/projects --yes",
    "hawser call --batch calls.ndjson --parallel 8",
  ]);
}

const exitCodeHelp = `
Exit codes:
  0    success
  1    the output can't be written
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
    .option("--retry <n>", "try again so often; GET, HEAD, OPTIONS, PUT, DELETE only", parseWhole(0, maxRetries))
    .option("--retry-backoff <duration>", "the first wait before that (default: 250ms)");
}

function addResponseOptions(command: Command): Command {
  return command
    .option("--include-headers", "show the response's headers")
    .option(
      "--max-body <bytes>",
      `keep at most so much of the body (default: ${limits.maxBodyBytes} on a terminal, with --json and --batch; else all of it)`,
      parseWhole(1, maxKeptBytes),
    )
    .addOption(hiddenOption("--max-body-bytes <n>", parseWhole(0, maxKeptBytes)))
    .option("--stream", "print the body as it comes, whatever its size; a pipe and a file get it so anyway")
    .option("--out <file>", "write the body to a file, whatever its size");
}

function addBatchOptions(command: Command): void {
  command
    .option("--batch <source>", "many calls: a JSON array or NDJSON from @file, a file, or - for stdin")
    .option("--parallel <n>", "with --batch: calls at the same time (default: 1)", parseWhole(1, limits.rpcMaxWorkers))
    .option("--ordered", "with --batch: results in the order of the items")
    .addOption(new Option("--batch-output <format>", "with --batch (default: ndjson)").choices(["ndjson", "json"]));
}

export function addRpc(program: Command): void {
  const rpc = program
    .command("rpc")
    .summary("serve calls to a host program")
    .description(
      "Serves igw-rpc-v1 on stdin and stdout: a host program makes many calls of the API through this one process, one JSON object per line each way.",
    )
    .option(
      "--workers <n>",
      `calls that run at the same time, 1 to ${limits.rpcMaxWorkers} (default: 1)`,
      parseWhole(1, limits.rpcMaxWorkers),
    )
    .option(
      "--queue-size <n>",
      `calls that may wait, 1 to ${limits.rpcMaxQueuedMessages} (default: 64)`,
      parseWhole(1, limits.rpcMaxQueuedMessages),
    )
    .addOption(
      new Option("--overflow <what>", "when the queue is full: stop reading, or refuse (default: block)").choices(["block", "reject"]),
    )
    .option("--include-headers", "answer with the response's headers")
    .option("--max-body <bytes>", `keep at most so much of a body (default: ${limits.maxBodyBytes})`, parseWhole(1, limits.maxBodyBytes));
  // Hosts of igw may say so, though there is nothing else than JSON here.
  rpc.addOption(new Option("--json").hideHelp());
  addTargetOptions(addSpecOption(rpc));
  // stdin is the protocol here. Known all the same, so that whoever gives it is told what to use instead.
  rpc.options.find(({ long }) => long === "--api-key-stdin")?.hideHelp();
  rpc.action(async (flags: RpcFlags) => (await import("./run-rpc.ts")).runRpc(flags));
  addExamples(rpc, [
    `echo '{"id":1,"op":"hello"}' | hawser rpc`,
    `echo '{"op":"call","args":{"op":"listTags"}}' | hawser rpc --demo`,
    "hawser rpc --profile plant --workers 8 --queue-size 256",
  ]);
}

export function addGateway(program: Command): void {
  const gateway = program
    .command("gateway")
    .summary("the gateway itself, and a demo of one")
    .description("Calls about the gateway itself.");
  const info = gateway.command("info").description("Says what the gateway is: call --path /data/api/v1/gateway-info.");
  addWrapperOptions(info).action(async (flags: CallFlags) =>
    (await import("./run-call.ts")).runCall({ ...flags, path: "/data/api/v1/gateway-info" }),
  );
  addExamples(info, ["hawser gateway info --demo"]);
  const demo = gateway
    .command("demo")
    .description("Serves a small API on this machine, with its OpenAPI document, to try every command on. Ends with Ctrl-C.")
    .option("--port <n>", "(default: a free one)", parseWhole(1, maxPort))
    .option("--json", "print address and token as JSON")
    .action(async (flags: DemoFlags) => (await import("./run-demo.ts")).runDemo(flags));
  addExamples(demo, ["hawser gateway demo", "hawser gateway demo --port 8088"]);
  addExamples(gateway, ["hawser gateway demo", "hawser gateway info --demo"]);
}

export function addScan(program: Command): Command {
  const scan = program.command("scan").summary("have the gateway scan its folders").description("Has the gateway scan its folders.");
  const projects = scan.command("projects").description("Scans the projects: call --method POST --path /data/api/v1/scan/projects.");
  addWrapperOptions(projects)
    .option("--yes", "confirm it; needed")
    .option("--dry-run", dryRunText)
    .action(async (flags: CallFlags) =>
      (await import("./run-call.ts")).runCall({ ...flags, method: "POST", path: "/data/api/v1/scan/projects" }),
    );
  addExamples(projects, ["hawser scan projects --demo --yes"]);
  addExamples(scan, ["hawser scan projects --demo --yes"]);
  return scan;
}

const addWrapperOptions = (command: Command): Command =>
  addOutputOptions(addTargetOptions(command)).option("--include-headers", "show the response's headers").addOption(printRequestOption());
