// Where calls go and with which token: flags before environment before profile or file. A profile
// stands alone: it takes neither address nor token from the file around it, so that the token of one
// place never travels to another.

import { isAbsolute, join } from "node:path";
import { limits } from "@hawser/wire";
import type { GatewayOptions } from "../call.ts";
import { readBoundedFile, reasonOf } from "./bounded-file.ts";
import { configError, loadConfig, type ConfigFile, type ConfigValues } from "./config-file.ts";
import { requireProfile } from "./profiles.ts";
import { parseGatewayUrl, parseHeaderName, parseToken } from "./target-values.ts";
import type { AuthPlacement, Target } from "./target.ts";

const defaultAuthHeader = "X-Ignition-API-Token";

type TargetOptions = Pick<GatewayOptions, "gatewayUrl" | "apiKey" | "apiKeyFile" | "profile" | "env" | "cwd">;

/** Reads the configuration file, and the token's file if there is one. */
export async function resolveTarget(options: TargetOptions = {}): Promise<Target> {
  const env = options.env ?? process.env;
  const config = await loadConfig(env);
  const profile = given(options.profile) ?? given(config.activeProfile);
  const values: ConfigValues = profile === undefined ? config : requireProfile(config, profile);
  const address = given(options.gatewayUrl) ?? given(env["IGNITION_GATEWAY_URL"]) ?? given(values.gatewayURL);
  if (address === undefined) {
    throw configError("no gateway address. Give --gateway-url, set IGNITION_GATEWAY_URL, or run: hawser config set --gateway-url <url>");
  }
  const token = (await flagToken(options)) ?? given(env["IGNITION_API_TOKEN"]) ?? given(values.token);
  return {
    baseUrl: parseGatewayUrl(address),
    ...(token !== undefined && { token: parseToken(token) }),
    auth: authOf(values, config),
    ...(profile !== undefined && { profile }),
  };
}

async function flagToken(options: TargetOptions): Promise<string | undefined> {
  const apiKey = given(options.apiKey);
  const file = given(options.apiKeyFile);
  if (file === undefined) return apiKey;
  if (apiKey !== undefined) throw configError("give only one of --api-key and --api-key-file");
  return readTokenFile(isAbsolute(file) ? file : join(options.cwd ?? process.cwd(), file));
}

/** The token in a file, trimmed; bounded, so that a wrong path can't fill the memory. */
async function readTokenFile(path: string): Promise<string> {
  let text: string | undefined;
  try {
    // And a line end, which most such files have.
    text = await readBoundedFile(path, limits.maxTokenBytes + 2);
  } catch (error) {
    throw configError(`token file ${path} can't be read (${reasonOf(error)})`, error);
  }
  if (text === undefined) throw configError(`token file ${path} is longer than a token, which has at most ${limits.maxTokenBytes} bytes`);
  const token = given(text);
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
  const prefix = authPrefix ?? "";
  if (!/^[\x20-\x7e]{0,256}$/.test(prefix)) throw configError("authPrefix contains characters that can't be sent in a header");
  return { kind: "header", header: parseHeaderName(given(authHeader) ?? defaultAuthHeader), prefix };
}

function given(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === "" ? undefined : trimmed;
}
