// The exit codes that scripts may rely on, by name, of all commands of the gateway. 0, 2, 6 and 7 are the
// same as `code` of an answer; the others only a process has.

import { printTo } from "../terminal.ts";
import { checkOutput, printJson, reportAsJson, type OutputFlags } from "./json-output.ts";

export const exitCodes = { auth: 6, interrupted: 130, invalid: 1, network: 7, ok: 0, terminated: 143, usage: 2 } as const;

export const runExitCodes = (flags: OutputFlags): Promise<void> =>
  reportAsJson(flags, () => {
    const output = checkOutput(flags);
    if (flags.json) return printJson({ ok: true, exitCodes }, output);
    const lines = Object.entries(exitCodes).map(([name, code]) => `${name}\t${code}\n`);
    printTo(process.stdout, lines.join(""));
  });
