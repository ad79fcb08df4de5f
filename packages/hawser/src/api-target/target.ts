// Where a command's calls go: the flags for it, the demo where that was asked for, and a call core for the length of one
// command, which Ctrl-C interrupts. A token comes from a flag, a file or stdin; it is passed on in memory only.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCallCore, parseDuration, startDemoApi, type CallCore, type DemoApi, type GatewayOptions } from "@hawser/gateway/internal";
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
}

export async function toGatewayOptions(flags: TargetFlags): Promise<GatewayOptions> {
  const { gatewayUrl, apiKeyFile, profile, specFile } = flags;
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

export interface CoreFlags extends TargetFlags {
  readonly includeHeaders?: true;
  readonly maxBody?: number;
  /** What igw calls it; 0 is the default. */
  readonly maxBodyBytes?: number;
  readonly demo?: true;
}

type UseCore<Result> = (core: CallCore, interruption: Interruption) => Promise<Result>;

export const withCore = <Result>(flags: CoreFlags, use: UseCore<Result>, more: GatewayOptions = {}): Promise<Result> =>
  withTarget(flags, (target) => useCore({ ...target, ...toResponseOptions(flags), ...more }, use));

export const toResponseOptions = ({ includeHeaders, maxBody, maxBodyBytes }: CoreFlags): GatewayOptions => ({
  includeHeaders,
  maxBodyBytes: maxBody ?? (maxBodyBytes || undefined),
});

/** For a target that is known already. */
export async function useCore<Result>(options: GatewayOptions, use: UseCore<Result>): Promise<Result> {
  const interruption = watchInterruption();
  const core = createCallCore(options);
  try {
    return await use(core, interruption);
  } finally {
    await core.close();
    interruption.dispose();
  }
}

/** For what needs no core. */
export async function withTarget<Result>(flags: CoreFlags, use: (options: GatewayOptions) => Promise<Result>): Promise<Result> {
  keepHeapSmall();
  const given = await toGatewayOptions(flags);
  const demo = flags.demo ? await startDemoTarget(given) : undefined;
  try {
    return await use(demo?.options ?? given);
  } finally {
    await demo?.close();
  }
}

interface DemoTarget {
  readonly options: GatewayOptions;
  close(): Promise<void>;
}

/** The demo API in this process. Its folder keeps the person's own configuration, documents and cache out of it, and is removed with it. */
export async function startDemoTarget({ timeoutMs }: GatewayOptions): Promise<DemoTarget> {
  const folder = createPrivateFolder("demo");
  const demo = await startDemoApi();
  return {
    options: {
      gatewayUrl: demo.url,
      apiKey: demo.token,
      timeoutMs,
      // Nothing else: neither addresses, tokens and proxies of the environment nor a saved profile.
      env: { HAWSER_GATEWAY_CONFIG: configFileIn(folder.path), XDG_CACHE_HOME: folder.path },
      cwd: folder.path,
    },
    async close() {
      await demo.stop();
      folder.remove();
    },
  };
}

const configFileIn = (folder: string): string => join(folder, "gateway.json");

/** For other processes, as HAWSER_GATEWAY_CONFIG: the demo alone, with its document, instead of what is saved. Returns the file. */
export function writeDemoConfig(folder: string, { url, token }: Pick<DemoApi, "url" | "token">): string {
  const file = configFileIn(folder);
  writeFileSync(file, JSON.stringify({ gatewayURL: url, token, specFile: `${url}/openapi.json` }), { mode: 0o600 });
  return file;
}
