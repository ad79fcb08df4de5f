// `hawser call`: one call of the API. The body goes to a pipe or a file as it is and whole, whatever its size; a terminal
// and --json, which tells everything about the call, have a bound, and a body that was cut is said to be.

import { loadApiIndex, previewRequest, toCallJson, type CallCore, type CallOutcome, type RequestPreview } from "@hawser/gateway/internal";
import { cutText, HawserError, protocolLimits } from "@hawser/protocol/internal";
import { untilAborted } from "@hawser/wire/internal";
import { toFlag } from "../command-line/command.ts";
import { checkOutput, printJson, reportAsJson, toTimingLine, wantsStats } from "../api-target/json-output.ts";
import { withCore, withTarget } from "../api-target/target.ts";
import { joinHint } from "../command-line/failure.ts";
import type { Interruption } from "../command-line/interruption.ts";
import { endLine, printTo } from "../command-line/output.ts";
import { programName } from "../command-line/launcher.ts";
import { createBodyFile } from "./body-file.ts";
import { checkNoFleet, toCallItem, type CallFlags } from "./item.ts";
import { createBodyPrinter, explainOutcome, toHeaderText, type BodyPrinter } from "./response.ts";

/** The same as for a transfer that failed: not all of it is there. */
const truncatedExitCode = 7;

export const runCall = (flags: CallFlags): Promise<void> =>
  reportAsJson(flags, async () => {
    checkOutput(flags);
    const lonely = (["parallel", "ordered", "batchOutput"] as const).find((name) => flags[name] !== undefined);
    if (lonely !== undefined) throw new HawserError("usage", `${toFlag(lonely)} requires --batch`);
    checkNoFleet(flags);
    if (flags.stream && flags.json) throw new HawserError("usage", "--stream is not supported with --json");
    if (flags.printRequest) return printRequest(flags);
    await withCore(flags, (core, interruption) => callOnce(core, flags, interruption));
  });

async function callOnce(core: CallCore, flags: CallFlags, interruption: Interruption): Promise<void> {
  const item = await untilAborted(interruption.signal, toCallItem(flags)).catch((error: unknown) => {
    if (interruption.exitCode === undefined) throw error;
  });
  if (item === undefined) {
    note(`${programName()}: interrupted; nothing was sent`);
    process.exitCode = interruption.exitCode;
    return;
  }
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
    if (flags.json) printJson(toEnvelope(outcome, flags), flags);
    else await printOutcome(outcome, flags, printer);
    // Not of a call that was refused: it has no request.
    if (flags.dryRun && !flags.json && outcome.request)
      note("note: --dry-run asked the API: the request was sent, with dryRun=true; --print-request sends nothing");
    if (outcome.ok && outcome.response?.truncated)
      note(
        `${programName()}: cut off after ${outcome.response.bytes} bytes; --max-body gives more; --out, or a pipe without --json, all of it`,
      );
    const { timingMs, http, bodyBytes } = outcome.stats;
    if (flags.timing && !flags.json) printTo(process.stderr, toTimingLine({ timingMs, ...http, bodyBytes }));
    if (outcome.cancelled) process.exitCode = interruption.exitCode ?? outcome.code;
  } finally {
    await file?.discard();
  }
}

const note = (line: string): void => printTo(process.stderr, `${line}\n`);

async function printOutcome(outcome: CallOutcome, flags: CallFlags, printer: BodyPrinter): Promise<void> {
  const { response } = outcome;
  if (!outcome.ok) {
    // What has come of a body that broke off stands on a line of its own.
    await endLine();
    note(`${programName()}: ${joinHint({ message: outcome.error ?? "failed", hint: outcome.errorInfo?.hint })}`);
    if (response && response.body !== "") note(cutText(response.body, protocolLimits.maxErrorTextChars));
  } else if (flags.out === undefined) await printer.end(response);
  else {
    if (response?.headers) printTo(process.stdout, toHeaderText(response.status, response.headers));
    printTo(process.stdout, `saved response body: ${flags.out}\n`);
  }
}

function toEnvelope(outcome: CallOutcome, flags: CallFlags): object {
  const envelope = toCallJson(outcome, { includeStats: wantsStats(flags) });
  if (!outcome.ok || flags.out === undefined) return envelope;
  return { ...envelope, response: { ...envelope.response, bodyFile: flags.out } };
}

async function printRequest(flags: CallFlags): Promise<void> {
  const item = await toCallItem(flags);
  const preview = await withTarget(flags, (options) =>
    // The demo is in this process: its document needs no request.
    previewRequest(item, options, flags.demo && (() => loadApiIndex(options))),
  );
  if (flags.json) printJson({ ...preview, headers: Object.fromEntries(groupHeaders(preview)) }, flags);
  else printTo(process.stdout, toText(preview));
}

const groupHeaders = ({ headers }: RequestPreview): [string, string[]][] =>
  [...Map.groupBy(headers, ([name]) => name.toLowerCase())].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]);

function toText({ method, url, headers, body = "", bodyEncoding }: RequestPreview): string {
  const lines = [`${method} ${url}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  const shown = bodyEncoding === undefined ? body : `[${Buffer.from(body, "base64").length} bytes that aren't text; --json shows them]`;
  return `${[...lines, ...(shown === "" ? [] : ["", shown])].join("\n")}\n`;
}
