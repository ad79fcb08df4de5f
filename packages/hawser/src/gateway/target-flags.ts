// Where a command's calls go: the flags for it, and what the call core gets. A token comes from a flag,
// a file or stdin; it is read here and passed on in memory only.

import { closeSync, openSync, readSync } from "node:fs";
import type { GatewayOptions } from "@hawser/gateway";
import { describeThrown, HawserError, limits } from "@hawser/wire";

export interface TargetFlags {
  readonly gatewayUrl?: string;
  readonly apiKey?: string;
  readonly apiKeyFile?: string;
  readonly apiKeyStdin?: true;
  readonly profile?: string;
  readonly specFile?: string;
  readonly timeout?: string;
}

export async function toGatewayOptions(flags: TargetFlags): Promise<GatewayOptions> {
  const { gatewayUrl, apiKeyFile, profile, specFile } = flags;
  const { parseDuration } = await import("@hawser/gateway");
  return {
    gatewayUrl,
    apiKey: await readApiKey(flags),
    apiKeyFile: flags.apiKeyStdin ? undefined : apiKeyFile,
    profile,
    specFile,
    timeoutMs: flags.timeout === undefined ? undefined : parseDuration(flags.timeout),
  };
}

/** The token that the flags give, where they give one themselves: not the one of a file. */
export async function readApiKey({ apiKey, apiKeyFile, apiKeyStdin }: TargetFlags): Promise<string | undefined> {
  const given = [apiKey !== undefined && "--api-key", apiKeyFile !== undefined && "--api-key-file", apiKeyStdin && "--api-key-stdin"];
  const names = given.filter(Boolean);
  if (names.length > 1) throw new HawserError("usage", `use only one of ${names.join(" and ")}`);
  if (!apiKeyStdin) return apiKey;
  const token = (process.stdin.isTTY ? await askToken() : (await readStdin()).toString("utf8")).trim();
  if (token === "") throw new HawserError("usage", "--api-key-stdin: stdin holds no token");
  return token;
}

/** Typed or pasted by a person, and not shown. */
async function askToken(): Promise<string> {
  const { isCancel, password } = await import("@clack/prompts");
  const token = await password({ message: "API token", output: process.stderr });
  if (isCancel(token)) process.exit(interruptedExitCode);
  return token ?? "";
}

const interruptedExitCode = 130;

/** Everything on stdin, up to the limit. */
export async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limits.maxCommandInputBytes) throw tooMuch("stdin", limits.maxCommandInputBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function readInputFile(path: string, what: string, maxBytes: number = limits.maxCommandInputBytes): Buffer {
  let content: Buffer;
  try {
    content = readAtMost(path, maxBytes + 1);
  } catch (cause) {
    throw new HawserError("usage", `can't read ${what} ${path}: ${describeThrown(cause)}`, { cause });
  }
  if (content.length > maxBytes) throw tooMuch(path, maxBytes);
  return content;
}

// Not the whole file: a path may lead to a device that never ends.
function readAtMost(path: string, maxBytes: number): Buffer {
  const file = openSync(path, "r");
  const chunks: Buffer[] = [];
  try {
    for (let bytes = 0; bytes < maxBytes;) {
      const chunk = Buffer.allocUnsafe(Math.min(1_048_576, maxBytes - bytes));
      const count = readSync(file, chunk);
      if (count === 0) break;
      chunks.push(chunk.subarray(0, count));
      bytes += count;
    }
    return Buffer.concat(chunks);
  } finally {
    closeSync(file);
  }
}

const tooMuch = (source: string, maxBytes: number): HawserError =>
  new HawserError("usage", `${source} holds more than ${maxBytes} bytes, which is the limit`);
