// The exit codes that hosts may rely on, by name: the same as `code` of an answer.

import { printTo } from "../terminal.ts";
import { checkOutput, printJson, reportAsJson, type OutputFlags } from "./json-output.ts";

export const exitCodes = { auth: 6, network: 7, ok: 0, usage: 2 } as const;

export const runExitCodes = (flags: OutputFlags): Promise<void> =>
  reportAsJson(flags, () => {
    const output = checkOutput(flags);
    if (flags.json) return printJson({ ok: true, exitCodes }, output);
    const lines = Object.entries(exitCodes).map(([name, code]) => `${name}\t${code}\n`);
    printTo(process.stdout, lines.join(""));
  });
