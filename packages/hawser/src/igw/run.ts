// Commands of igw that this program leaves to `call`: each ends with code 2 and prints the line that
// does the same. Paths and parameters are those that igw uses.

import { HawserError } from "@hawser/protocol";
import { reportAsJson } from "../api-target/json-output.ts";
import { commandName } from "../command-line/launcher.ts";

const api = "/data/api/v1";
const read = (path: string, more = ""): string => `call --path ${api}${path}${more}`;
const write = (path: string, more = ""): string => `call --method POST --path ${api}${path}${more} --yes`;
const upload = " --content-type application/octet-stream";

/** By the words of the command, without the name of this program. */
const callLines: Readonly<Record<string, string>> = {
  "logs list": read("/logs"),
  "logs download": read("/logs/download", " --out gateway-logs.zip"),
  "logs loggers": read("/logs/loggers"),
  "logs logger set": write("/logs/loggers/<name>", " --query level=<level>"),
  "logs level-reset": write("/logs/levelreset"),
  "diagnostics bundle generate": write("/diagnostics/bundle/generate"),
  "diagnostics bundle status": read("/diagnostics/bundle/status"),
  "diagnostics bundle download": read("/diagnostics/bundle/download", " --out diagnostics.zip"),
  "backup export": read("/backup", " --out gateway.gwbk"),
  "backup restore": write("/backup", ` --body @<file>${upload}`),
  "tags export": read("/tags/export", " --query provider=default --query type=json --out tags.json"),
  "tags import": write("/tags/import", ` --query provider=default --query type=json --query collisionPolicy=Abort --body @<file>${upload}`),
  "restart tasks": read("/restart-tasks/pending"),
  "restart gateway": write("/restart-tasks/restart", " --query confirm=true"),
  "wait gateway": read("/gateway-info", " --retry 60 --retry-backoff 2s --timeout 2m"),
  "wait diagnostics-bundle": read("/diagnostics/bundle/status"),
  "wait restart-tasks": read("/restart-tasks/pending"),
  "scan config": write("/scan/config"),
  "api refresh": "api sync",
  "api capability": "api search --query <words>",
};

/** `words` are everything that was typed, options included. */
export const refuseIgwCommand = (words: readonly string[]): Promise<void> =>
  reportAsJson(words.includes("--json") ? { json: true } : {}, () => {
    const end = words.findIndex((word) => word.startsWith("-"));
    const typed = words.slice(0, end === -1 ? words.length : end).join(" ");
    const exact = Object.keys(callLines).find((command) => typed === command || typed.startsWith(`${command} `));
    const commands = exact === undefined ? Object.keys(callLines).filter((command) => command.startsWith(`${words[0]} `)) : [exact];
    const lines = commands.map((command) => `${commandName()} ${callLines[command]}`);
    const shown = lines.length === 1 ? ` ${lines[0]}` : `\n${lines.map((line) => `  ${line}`).join("\n")}`;
    throw new HawserError("usage", `there is no command "${typed}"; this does it:${shown}`);
  });
