// Where a command's calls go: the flags for it, the demo where that was asked for, and a call core for the length of one
// command, which Ctrl-C interrupts. A token comes from a flag, a file or stdin; it is passed on in memory only.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createCallCore,
  createSingleConnections,
  parseDuration,
  startDemoApi,
  type CallCore,
  type DemoApiOptions,
  type GatewayOptions,
} from "@hawser/gateway/internal";
import { HawserError } from "@hawser/protocol";
import { createPrivateFolder, keepHeapSmall } from "@hawser/wire/internal/node";
import { readStdin } from "../command-line/input.ts";
import { watchInterruption, type Interruption } from "../command-line/interruption.ts";

export interface TargetFlags {
  readonly gatewayUrl?: string;
  readonly apiKey?: string;
  readonly apiKeyFile?: string;
  readonly apiKeyStdin?: true;
  readonly profile?: string;
  readonly specFile?: string;
  readonly timeout?: string;
  readonly demo?: true;
  readonly includeHeaders?: true;
  readonly maxBody?: number;
  /** What igw calls it; 0 is the default. */
  readonly maxBodyBytes?: number;
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

type UseCore<Result> = (core: CallCore, interruption: Interruption) => Promise<Result>;

export const withCore = <Result>(flags: TargetFlags, use: UseCore<Result>): Promise<Result> =>
  withTarget(flags, (target) => useCore(target, use));

/** For a target that is known already. Few calls need no kept connections. */
export async function useCore<Result>(
  options: GatewayOptions,
  use: UseCore<Result>,
  openConnections = createSingleConnections,
): Promise<Result> {
  const interruption = watchInterruption();
  const core = createCallCore(options, openConnections);
  try {
    return await use(core, interruption);
  } finally {
    await core.close();
    interruption.dispose();
  }
}

/** For what needs no core. */
export async function withTarget<Result>(flags: TargetFlags, use: (options: GatewayOptions) => Promise<Result>): Promise<Result> {
  keepHeapSmall();
  const { options, close } = await openTarget(flags);
  try {
    return await use(options);
  } finally {
    await close();
  }
}

export async function openTarget(flags: TargetFlags): Promise<{ options: GatewayOptions; close: () => Promise<void> }> {
  const { gatewayUrl, apiKeyFile, profile, specFile, timeout, includeHeaders, maxBody, maxBodyBytes } = flags;
  const apiKey = await readApiKey(flags);
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout);
  const common = { timeoutMs, includeHeaders, maxBodyBytes: maxBody ?? (maxBodyBytes || undefined) };
  if (!flags.demo) return { options: { ...common, gatewayUrl, apiKey, apiKeyFile, profile, specFile }, close: async () => {} };
  const { url, token, folder, configFile, close } = await startDemo();
  // Nothing else: neither addresses, tokens and proxies of the environment nor a saved profile.
  const env = { HAWSER_GATEWAY_CONFIG: configFile, XDG_CACHE_HOME: folder };
  return { options: { ...common, gatewayUrl: url, apiKey: token, env, cwd: folder }, close };
}

/** The demo API in this process. Its folder keeps the person's own configuration, documents and cache out of it. */
export async function startDemo(options?: DemoApiOptions) {
  const folder = createPrivateFolder("demo");
  const { url, token, stop } = await startDemoApi(options);
  async function close(): Promise<void> {
    await stop();
    folder.remove();
  }
  // The file isn't there until `writeDemoConfig` writes it.
  return { url, token, folder: folder.path, configFile: join(folder.path, "gateway.json"), close };
}

/** For other processes, as HAWSER_GATEWAY_CONFIG: the demo alone, with its document, instead of what is saved. */
export const writeDemoConfig = ({ url, token, configFile }: Awaited<ReturnType<typeof startDemo>>): void =>
  writeFileSync(configFile, JSON.stringify({ gatewayURL: url, token, specFile: `${url}/openapi.json` }), { mode: 0o600 });
