// `hawser call`: one call of the API. The body goes to a pipe or a file as it is and whole, whatever its size; a terminal
// and --json, which tells everything about the call, have a bound, and a body that was cut is said to be.
// Exit codes: 0 success, 1 the output can't be written, 2 usage or configuration, 6 authentication,
// 7 network, other HTTP and a body that was cut, 130 interrupted.

import type { CallCore, CallOutcome, CallResponse } from "@hawser/gateway";
import { cutText, HawserError, limits, untilAborted } from "@hawser/wire";
import { joinHint } from "../failure.ts";
import { programName } from "../launcher.ts";
import { printTo } from "../terminal.ts";
import { createBodyFile } from "./body-file.ts";
import { createBodyPrinter, toHeaderText, type BodyPrinter } from "./body-printer.ts";
import { explainOutcome, toEnvelope, toTimingLine } from "./call-envelope.ts";
import { toCallItem, type CallItemFlags } from "./call-item.ts";
import { toFlag } from "./flag-groups.ts";
import type { Interruption } from "./interruption.ts";
import { checkOutput, printJson, reportAsJson, type JsonOutput, type OutputFlags } from "./json-output.ts";
import { printRequest } from "./print-request.ts";
import { endLine } from "./stdout.ts";
import { withCore, type CoreFlags } from "./with-core.ts";

export interface CallFlags extends CallItemFlags, CoreFlags, OutputFlags {
  readonly parallel?: number;
  readonly ordered?: true;
  readonly batchOutput?: string;
  readonly stream?: true;
  readonly out?: string;
  readonly printRequest?: true;
}

/** The same as for a transfer that failed: not all of it is there. */
const truncatedExitCode = 7;

export const runCall = (flags: CallFlags): Promise<void> =>
  reportAsJson(flags, async () => {
    const output = checkOutput(flags);
    const lonely = (["parallel", "ordered", "batchOutput"] as const).find((name) => flags[name] !== undefined);
    if (lonely !== undefined) throw new HawserError("usage", `${toFlag(lonely)} requires --batch`);
    if (flags.stream && flags.json) throw new HawserError("usage", "--stream is not supported with --json");
    if (flags.printRequest) return printRequest(flags, output);
    if (flags.dryRun && !flags.json)
      note("note: --dry-run asks the API: the request is sent, with dryRun=true; --print-request sends nothing");
    await withCore(flags, (core, interruption) => callOnce(core, flags, output, interruption));
  });

async function callOnce(core: CallCore, flags: CallFlags, output: JsonOutput, interruption: Interruption): Promise<void> {
  const item = await untilAborted(interruption.signal, toCallItem(flags)).catch((error: unknown) => {
    if (interruption.exitCode === undefined) throw error;
  });
  if (item === undefined) return endInterrupted(interruption);
  const file = flags.out === undefined ? undefined : await createBodyFile(flags.out);
  const printer = createBodyPrinter();
  // A terminal gets no more than a person may want to see, unless they ask for all of it; a pipe and a file get it whole.
  const isStreamed = !flags.json && (flags.stream === true || !process.stdout.isTTY);
  const onBody = file ? file.write : isStreamed ? printer.write : undefined;
  try {
    const outcome = explainOutcome(await core.call(item, { signal: interruption.signal, ...(onBody && { onBody }) }));
    if (outcome.ok) await file?.commit();
    process.exitCode = outcome.response?.truncated ? outcome.code || truncatedExitCode : outcome.code;
    if (printer.isOver()) return void (process.exitCode = 0);
    if (flags.json) printJson(toEnvelope(outcome, { includeStats: output.includeStats, bodyFile: flags.out }), output);
    else await printOutcome(outcome, flags, printer);
    if (outcome.ok && outcome.response?.truncated) note(toTruncationLine(outcome.response));
    if (flags.timing && !flags.json) note(toTimingLine(outcome));
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

const note = (line: string): void => printTo(process.stderr, `${line}\n`);

async function printOutcome(outcome: CallOutcome, flags: CallFlags, printer: BodyPrinter): Promise<void> {
  const { response } = outcome;
  if (!outcome.ok) {
    // What has come of a body that broke off stands on a line of its own.
    await endLine();
    note(`${programName()}: ${joinHint(outcome.error ?? "failed", outcome.errorInfo?.hint)}`);
    if (response && response.body !== "") note(cutText(response.body, limits.maxErrorTextChars));
  } else if (flags.out === undefined) await printer.end(response);
  else {
    if (response?.headers) printTo(process.stdout, toHeaderText(response.status, response.headers));
    printTo(process.stdout, `saved response body: ${flags.out}\n`);
  }
}

const toTruncationLine = ({ bytes }: CallResponse): string =>
  `${programName()}: cut off after ${bytes} bytes; --max-body gives more; --out, or a pipe without --json, all of it`;
