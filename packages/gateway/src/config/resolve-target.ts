// Where calls go: flags before environment before profile or file. A profile stands alone: it takes neither address nor
// token from the file around it, so that the token of one place never travels to another.

import { resolve } from "node:path";
import { gatewayLimits } from "../limits.ts";
import type { GatewayOptions } from "../call.ts";
import {
  readBoundedFile,
  configDirectory,
  configError,
  loadConfig,
  type ConfigFile,
  type ConfigValues,
  type Environment,
} from "./config-file.ts";
import { requireProfile } from "./profiles.ts";
import { parseGatewayUrl, parseHeaderName, parseToken, toSpecFile, type AuthPlacement, type Target } from "./target.ts";

const defaultAuthHeader = "X-Ignition-API-Token";

export const noAddress = "no gateway address. Give --gateway-url, set IGNITION_GATEWAY_URL, or run: hawser config set --gateway-url <url>";

/** Where there are profiles, and none of them is active, one of them is most likely meant. */
function describeNoAddress({ profiles = {} }: ConfigFile, profile: string | undefined): string {
  const names = Object.keys(profiles);
  const [first] = names;
  if (profile !== undefined || first === undefined) return noAddress;
  const others = names.length > 1 ? ` (there are: ${names.join(", ")})` : "";
  return `no gateway address: no profile is active. Choose one: hawser config profile use ${first}${others}; or give --gateway-url`;
}

type TargetOptions = Pick<GatewayOptions, "gatewayUrl" | "apiKey" | "apiKeyFile" | "profile" | "specFile" | "env" | "cwd">;

/** Reads the configuration file, and the token's file if there is one. */
export async function resolveTarget(options: TargetOptions = {}): Promise<Target> {
  const { target, problem } = await findTarget(options);
  if (!target) throw configError(problem ?? noAddress);
  return target;
}

export interface FoundTarget {
  /** Undefined where no address is configured. */
  readonly target: Target | undefined;
  readonly specFile: string | undefined;
  /** Why there is no target. */
  readonly problem?: string;
}

/** The same for what needs an API document only, which may be there without an address. */
export async function findTarget(options: TargetOptions = {}): Promise<FoundTarget> {
  const env = options.env ?? process.env;
  const config = await loadConfig(env);
  const profile = given(options.profile) ?? given(config.activeProfile);
  const values: ConfigValues = profile === undefined ? config : requireProfile(config, profile);
  const specFile = specFileOf(options, values, env);
  const address = given(options.gatewayUrl) ?? given(env["IGNITION_GATEWAY_URL"]) ?? given(values.gatewayURL);
  if (address === undefined) return { target: undefined, specFile, problem: describeNoAddress(config, profile) };
  const token = (await flagToken(options)) ?? given(env["IGNITION_API_TOKEN"]) ?? given(values.token);
  const target: Target = {
    baseUrl: parseGatewayUrl(address),
    ...(token !== undefined && { token: parseToken(token) }),
    auth: authOf(values, config),
    ...(specFile !== undefined && { specFile }),
    ...(profile !== undefined && { profile }),
  };
  return { target, specFile };
}

/** A file's path is relative to where it was written: the current folder, or that of the configuration. */
function specFileOf(options: TargetOptions, values: ConfigValues, env: Environment): string | undefined {
  const flag = given(options.specFile);
  if (flag !== undefined) return toSpecFile(flag, options.cwd ?? process.cwd());
  const saved = given(values.specFile);
  return saved === undefined ? undefined : toSpecFile(saved, configDirectory(env));
}

async function flagToken(options: TargetOptions): Promise<string | undefined> {
  const apiKey = given(options.apiKey);
  const file = given(options.apiKeyFile);
  if (file === undefined) return apiKey;
  if (apiKey !== undefined) throw configError("give only one of --api-key and --api-key-file");
  const path = resolve(options.cwd ?? process.cwd(), file);
  const { maxTokenBytes } = gatewayLimits;
  const tooLong = `is longer than a token, which has at most ${maxTokenBytes} bytes`;
  // And a line end, which most such files have.
  const token = given(await readBoundedFile(path, "token file", maxTokenBytes + 2, tooLong));
  if (token === undefined) throw configError(`token file ${path} is empty`);
  return token;
}

function authOf(values: ConfigValues, config: ConfigFile): AuthPlacement {
  const hasOwn = values.authHeader !== undefined || values.authPrefix !== undefined || values.authScheme !== undefined;
  const { authHeader, authPrefix, authScheme } = hasOwn ? values : config;
  if (given(authScheme) !== undefined) {
    if (given(authHeader) !== undefined) throw configError("the configuration has both authScheme and authHeader; keep one");
    return { kind: "scheme", name: (authScheme as string).trim() };
  }
  const prefix = withBlank(authPrefix ?? "");
  if (!/^[\x20-\x7e]{0,256}$/.test(prefix)) throw configError("authPrefix contains characters that can't be sent in a header");
  return { kind: "header", header: parseHeaderName(given(authHeader) ?? defaultAuthHeader), prefix };
}

// `Bearer` is a word of its own in the header; what ends in a sign, such as `key=`, stands right before the token.
const withBlank = (prefix: string): string => (/[A-Za-z0-9]$/.test(prefix) ? `${prefix} ` : prefix);

function given(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === "" ? undefined : trimmed;
}
