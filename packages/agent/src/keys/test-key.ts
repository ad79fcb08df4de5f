// Whether a vendor takes a key: one request for its list of models, bounded in time and size, which follows no redirect. The answer is a
// sentence for people. Of what the server says only its status and the names of models are used: it might repeat the key.

import { cutText, HawserError, isRecord, type KeyTest } from "@hawser/protocol/internal";
import { createBoundedFetch } from "../model/bounded-fetch.ts";
import {
  anthropicUrl,
  checkKey,
  keyAddress,
  keyVariables,
  openaiUrl,
  serverUrl,
  valueOf,
  type Environment,
  type KeptKeys,
  type ModelConfiguration,
} from "../model/vendors.ts";
import { settingsLimits } from "./limits.ts";

export interface TestKeyOptions {
  readonly vendor: string;
  readonly env: Environment;
  readonly config: ModelConfiguration;
  readonly kept: KeptKeys;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number | undefined;
}

/** Throws `usage` for a vendor that there is not, an address that is none, and where a key is needed and missing. */
export async function testKey(options: TestKeyOptions): Promise<KeyTest> {
  const { vendor, signal, timeoutMs = settingsLimits.keyTestMs } = options;
  const { url, headers } = toRequest(options);
  const { keyTestBytes } = settingsLimits;
  const fetch = createBoundedFetch({ responseBytes: keyTestBytes, lineBytes: keyTestBytes });
  const late = AbortSignal.timeout(timeoutMs);
  const fail = (message: string): KeyTest => ({ vendor, works: false, message });
  try {
    const response = await fetch(url, { headers: { accept: "application/json", ...headers }, signal: AbortSignal.any([signal, late]) });
    if (!response.ok) {
      await response.body?.cancel();
      return fail(describeStatus(response.status, vendor));
    }
    const models = namesIn(await response.text(), secretsIn(headers));
    if (!models) return fail("The server answers, but not with a list of models; check its address.");
    const shown = models.slice(0, settingsLimits.keyTestModelEntries);
    return { vendor, works: true, message: `It works: ${models.length} models.`, models: shown, modelCount: models.length };
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) return fail(`${vendor} has not answered within ${timeoutMs / 1000} seconds; the key is kept, try again later.`);
    return fail(
      HawserError.isInstance(error)
        ? `${error.message}.`
        : `${vendor} can't be reached (${causeOf(error)}); the key is kept, try again later.`,
    );
  }
}

function toRequest({ vendor, env, config, kept }: TestKeyOptions): { readonly url: string; readonly headers: Record<string, string> } {
  const address = keyAddress(vendor, config);
  const [variable, key] = keyFrom(vendor, env, config) ?? [undefined, kept.get(vendor, address)];
  const problem = key === undefined ? kept.problemOf(vendor, address) : undefined;
  if (problem !== undefined) throw new HawserError("usage", `the key of ${vendor} can't be used: ${problem}`);
  checkKey(key, variable);
  if (vendor === "anthropic") {
    const credential = variable === "ANTHROPIC_AUTH_TOKEN" ? bearer(needed(key, vendor)) : { "x-api-key": needed(key, vendor) };
    return { url: `${anthropicUrl(env)}/models`, headers: { "anthropic-version": "2023-06-01", ...credential } };
  }
  if (vendor === "openai") return { url: `${openaiUrl(env)}/models`, headers: bearer(needed(key, vendor)) };
  const { openaiServers = {} } = config;
  const server = Object.hasOwn(openaiServers, vendor) ? openaiServers[vendor] : undefined;
  if (!server)
    throw new HawserError(
      "usage",
      `there is no vendor of this name; there are: ${["anthropic", "openai", ...Object.keys(openaiServers)].join(", ")}`,
    );
  return { url: `${serverUrl(vendor, server)}/models`, headers: key === undefined ? {} : bearer(key) };
}

/** From the environment, and from which variable. */
export function keyFrom(
  vendor: string,
  env: Environment,
  config: ModelConfiguration,
): readonly [variable: string, key: string] | undefined {
  for (const variable of keyVariables(vendor, config)) {
    const value = valueOf(env, variable);
    if (value !== undefined) return [variable, value];
  }
  return undefined;
}

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

function needed(key: string | undefined, vendor: string): string {
  if (key === undefined) throw new HawserError("usage", `there is no key of ${vendor} yet; set one first`);
  return key;
}

function describeStatus(status: number, vendor: string): string {
  if (status === 401 || status === 403)
    return `${vendor} refuses the key (${status}). Check that all of it was copied, and that it was not withdrawn.`;
  if (status === 404) return `There is no list of models at this address (404); check the address.`;
  if (status === 429) return `${vendor} asks to slow down (429); the key is kept, try again later.`;
  return `${vendor} answers with an error (${status}); the key is kept, try again later.`;
}

/** What must not come back as the name of a model. */
const secretsIn = ({ authorization, "x-api-key": key }: Record<string, string>): string[] =>
  [authorization?.slice("Bearer ".length), key].filter((secret) => secret !== undefined);

/** One that shows what it is: without blanks, control characters, and those that are not seen or turn the text around. */
const shownName = /^[^\s\p{Cc}\p{Cf}\p{Cs}]{1,150}$/u;

function namesIn(body: string, secrets: readonly string[]): string[] | undefined {
  try {
    const { data } = JSON.parse(body) as { data?: unknown };
    if (!Array.isArray(data)) return undefined;
    const names = data.map((entry: unknown) => (isRecord(entry) ? entry["id"] : undefined));
    const isShown = (name: unknown): name is string => typeof name === "string" && shownName.test(name);
    return names.filter(isShown).filter((name) => !secrets.some((secret) => name.includes(secret)));
  } catch {
    return undefined;
  }
}

/** `ECONNREFUSED` says more than "fetch failed". */
function causeOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: unknown }; message?: string };
  return typeof cause?.code === "string" ? cause.code : cutText(message ?? "it failed", 100);
}
