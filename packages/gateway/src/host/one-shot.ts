// One call by one process, `call --json`: what is left where no rpc server can be started. The body goes
// through stdin, so that neither its length nor an `@` at its beginning matters.

import { parseJsonText, untilAborted, wireLimits } from "@hawser/wire/internal";
import { HawserError, type CallData, type CallItem } from "@hawser/protocol";
import { startChild, type PipedChild } from "@hawser/wire/node";
import type { ConnectionOptions, HostCallOptions, HostOutcome } from "./rpc-connection.ts";

type OneShotOptions = Pick<ConnectionOptions, "command" | "args" | "env" | "cwd" | "onStderr">;

interface CallJson extends CallData {
  readonly ok?: unknown;
  readonly code?: unknown;
  readonly error?: unknown;
  readonly details?: { status?: number; kind?: string; retryable?: boolean; hint?: string; cancelled?: boolean } | undefined;
}

/** Resolves to how the call ended; rejects when the program could not be run or gave no answer. */
export async function callOnce(options: OneShotOptions, item: CallItem, callOptions: HostCallOptions = {}): Promise<HostOutcome> {
  const body = bodyOf(item);
  const args = [...options.args, ...toFlags(item)];
  const signals = [callOptions.signal, callOptions.timeoutMs === undefined ? undefined : AbortSignal.timeout(callOptions.timeoutMs)];
  const signal = AbortSignal.any(signals.filter((each) => each !== undefined));
  if (signal.aborted) throw cancelledBy(callOptions);
  const child = await startChild({ ...options, args, stdio: "pipe", onStderr: options.onStderr ?? (() => {}) });
  try {
    child.stdin.end(body ?? "");
    const text = await untilAborted(signal, readOutput(child)).catch((error: unknown) => {
      throw signal.aborted ? cancelledBy(callOptions) : error;
    });
    const { code } = await child.exited;
    return toOutcome(text, code);
  } finally {
    // It has ended, or its caller has given up.
    child.kill("SIGTERM");
    await child.stop();
  }
}

const cancelledBy = ({ signal, timeoutMs }: HostCallOptions): HawserError =>
  signal?.aborted
    ? new HawserError("cancelled", "cancelled by the caller", { cause: signal.reason })
    : new HawserError("timeout", `no end within ${timeoutMs} ms`);

function bodyOf({ body, params, bodyEncoding }: CallItem): string | undefined {
  if (params !== undefined || bodyEncoding !== undefined) {
    const text = "params and bodyEncoding need an rpc server, and none could be started; give path, query and a text body";
    throw new HawserError("usage", text);
  }
  if (body === undefined || body === null) return undefined;
  return typeof body === "string" ? body : JSON.stringify(body);
}

// `--flag=value`, so that no value is ever taken for a flag.
function toFlags(item: CallItem): string[] {
  const { op, method, path, contentType, timeout, retry, retryBackoff, query, headers } = item;
  const given = { op, method, path, "content-type": contentType, timeout, retry, "retry-backoff": retryBackoff, query, header: headers };
  const flags = Object.entries(given).flatMap(([name, value]) => [value ?? []].flat().map((each) => `--${name}=${each}`));
  if (bodyOf(item)) flags.push("--body=-");
  if (item.dryRun) flags.push("--dry-run");
  if (item.yes) flags.push("--yes");
  return flags;
}

async function readOutput({ stdout }: PipedChild): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > wireLimits.maxUnsentBytes)
      throw new HawserError("too_large", `the answer has more than ${wireLimits.maxUnsentBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function toOutcome(text: string, exitCode: number | null): HostOutcome {
  let answer: CallJson | null;
  try {
    answer = parseJsonText(text) as CallJson | null;
  } catch (cause) {
    throw new HawserError("start_failed", `call --json gave no answer (exit code ${exitCode})`, { cause, facts: { exitCode } });
  }
  const { ok, code, error, details, request, response, stats } = answer ?? {};
  const status = response?.status ?? details?.status;
  return {
    ok: ok === true,
    code: typeof code === "number" ? code : (exitCode ?? 7),
    ...(status !== undefined && { status }),
    ...(typeof error === "string" && { error }),
    ...(request && { request }),
    ...(response && { response }),
    ...(stats && { stats }),
    ...(ok !== true && { cancelled: details?.cancelled === true }),
    ...(details?.kind !== undefined && { errorInfo: { kind: details.kind, retryable: details.retryable === true, hint: details.hint } }),
  };
}
