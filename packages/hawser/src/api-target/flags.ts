// Options that several of the gateway's commands share, under the names that igw gives them, and how
// a mistake in them is answered where JSON was asked for.

import { Option, type Command } from "commander";
import { collect } from "../command-line/command.ts";
import { toSentence } from "../command-line/failure.ts";
import { printTo } from "../command-line/output.ts";
import { programName } from "../command-line/launcher.ts";

export function addTokenOptions(command: Command): Command {
  return command
    .option("--api-key <token>", "the API token; others on this machine may see it here, so better:")
    .option("--api-key-file <file>", "read the token from a file")
    .option("--api-key-stdin", "read the token from stdin");
}

// What leads to another API than the demo, by the names that Commander gives these options.
const elsewhere = ["gatewayUrl", "apiKey", "apiKeyFile", "apiKeyStdin", "profile", "specFile"];

export function addTargetOptions(command: Command): Command {
  command.option("--gateway-url <url>", "the gateway's address (else IGNITION_GATEWAY_URL, else the configuration)");
  return addTokenOptions(command)
    .option("--profile <name>", "a profile of the configuration (default: the active one)")
    .option("--timeout <duration>", "for the whole call, e.g. 250ms, 8s, 1m30s (default: 8s)")
    .addOption(new Option("--demo", "use the demo API, in this process").conflicts(elsewhere));
}

export const addSpecOption = (command: Command): Command =>
  command.option(
    "--spec-file <file|url>",
    "the OpenAPI document (default: the profile's, openapi.json here or beside the configuration, or the gateway's)",
  );

export function addOutputOptions(command: Command): Command {
  return addSelectOptions(command.option("--json", "print JSON"))
    .option("--timing", "print how long it took")
    .option("--json-stats", "with --json: add timing");
}

export function addSelectOptions(command: Command): Command {
  return command
    .option(
      "--select <path>",
      "with --json: only this value, e.g. response.status or response.body.items.0.name; may be given several times",
      collect,
    )
    .option("--raw", "with one --select: the bare value")
    .option("--compact", "with --json: on one line");
}

/** Mistakes in the arguments of this command and those below it are `{ok:false, code:2, error}` on stdout where JSON was asked for. */
export function answerMistakesInJson(command: Command): void {
  command.configureOutput({
    outputError(text, write) {
      // The arguments could not be understood, so they are looked at as they are.
      const end = process.argv.indexOf("--");
      const words = end === -1 ? process.argv : process.argv.slice(0, end);
      if (!words.includes("--json")) return write(toSentence(text));
      const error = toSentence(text).slice(`${programName()}: `.length).trim();
      printTo(process.stdout, `${JSON.stringify({ ok: false, code: 2, error }, null, 2)}\n`);
    },
  });
  for (const below of command.commands) answerMistakesInJson(below);
}
