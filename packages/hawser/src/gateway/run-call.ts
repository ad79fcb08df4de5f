// `hawser call`: one call of the API. The body goes to stdout or a file as it is; with --json
// everything about the call does. Exit codes: 0 success, 2 usage or configuration, 6 authentication,
// 7 network and other HTTP, 130 interrupted.

import type { CallCore, CallOutcome } from "@hawser/gateway";
import { HawserError, limits, untilAborted } from "@hawser/wire";
import { joinHint } from "../failure.ts";
import { programName } from "../launcher.ts";
import { printTo } from "../terminal.ts";
import { createBodyFile } from "./body-file.ts";
import { explainOutcome, toEnvelope, toTimingLine } from "./call-envelope.ts";
import { toCallItem, type CallItemFlags } from "./call-item.ts";
import { toFlag } from "./flag-groups.ts";
import type { Interruption } from "./interruption.ts";
import { checkOutput, printJson, reportAsJson, type JsonOutput, type OutputFlags } from "./json-output.ts";
import { endLine, writeOut } from "./stdout.ts";
import { withCore, type CoreFlags } from "./with-core.ts";

export interface CallFlags extends CallItemFlags, CoreFlags, OutputFlags {
  readonly parallel?: number;
  readonly ordered?: true;
  readonly batchOutput?: string;
  readonly stream?: true;
  readonly out?: string;
}

export const runCall = (flags: CallFlags): Promise<void> =>
  reportAsJson(flags, async () => {
    const output = checkOutput(flags);
    const lonely = (["parallel", "ordered", "batchOutput"] as const).find((name) => flags[name] !== undefined);
    if (lonely !== undefined) throw new HawserError("usage", `${toFlag(lonely)} requires --batch`);
    if (flags.stream && flags.json) throw new HawserError("usage", "--stream is not supported with --json");
    if (flags.stream && flags.includeHeaders && flags.out === undefined)
      throw new HawserError("usage", "--include-headers with --stream needs --out, so that headers and body stay apart");
    await withCore(flags, (core, interruption) => callOnce(core, flags, output, interruption));
  });

async function callOnce(core: CallCore, flags: CallFlags, output: JsonOutput, interruption: Interruption): Promise<void> {
  const item = await untilAborted(interruption.signal, toCallItem(flags)).catch((error: unknown) => {
    if (interruption.exitCode === undefined) throw error;
  });
  if (item === undefined) return endInterrupted(interruption);
  const file = flags.out === undefined ? undefined : await createBodyFile(flags.out);
  const onBody = file ? file.write : flags.stream ? writeOut : undefined;
  try {
    const outcome = explainOutcome(await core.call(item, { signal: interruption.signal, ...(onBody && { onBody }) }));
    if (outcome.ok) await file?.commit();
    process.exitCode = outcome.code;
    if (flags.json) printJson(toEnvelope(outcome, { includeStats: output.includeStats, bodyFile: flags.out }), output);
    else await printOutcome(outcome, flags);
    if (outcome.cancelled) process.exitCode = interruption.exitCode ?? outcome.code;
  } finally {
    await file?.discard();
  }
}

/** While the body was still being read: nothing was sent. */
function endInterrupted({ exitCode }: Interruption): void {
  printTo(process.stderr, `${programName()}: interrupted; nothing was sent\n`);
  process.exitCode = exitCode;
}

async function printOutcome(outcome: CallOutcome, flags: CallFlags): Promise<void> {
  const { response } = outcome;
  const note = (line: string): void => printTo(process.stderr, `${line}\n`);
  if (!outcome.ok) {
    note(`${programName()}: ${joinHint(outcome.error ?? "failed", outcome.errorInfo?.hint)}`);
    if (response && response.body !== "") note(response.body.slice(0, limits.maxErrorTextChars));
  } else {
    if (response?.headers) printTo(process.stdout, toHeaderText(response.status, response.headers));
    if (flags.out !== undefined) printTo(process.stdout, `saved response body: ${flags.out}\n`);
    else if (response && !flags.stream) await writeOut(toBytes(response.body, response.bodyEncoding)).catch(() => {});
    endLine();
    if (response?.truncated) note(`${programName()}: cut off after ${response.bytes} bytes; --max-body or --stream gives more`);
  }
  if (flags.timing) note(toTimingLine(outcome));
}

const toBytes = (body: string, encoding: "base64" | undefined): Buffer => Buffer.from(body, encoding ?? "utf8");

const toHeaderText = (status: number, headers: Readonly<Record<string, readonly string[]>>): string =>
  `HTTP ${status}\n${Object.entries(headers)
    .flatMap(([name, values]) => values.map((value) => `${name}: ${value}\n`))
    .join("")}\n`;
