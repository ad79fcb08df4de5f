// The configuration file that `igw` hosts know: unknown keys survive a change, it is replaced whole and readable for its
// owner only. What is said about a broken file never contains a piece of it.

import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { HawserError, isRecord } from "@hawser/protocol/internal";
import { makeFolder, replacePrivateFile, userFolder, withFileLock } from "@hawser/wire/internal/node";
import { gatewayLimits } from "../limits.ts";
import { openFile, readUpTo, type OpenFile } from "./open-file.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where calls go and how their token travels; of the file itself or of a profile. */
export interface ConfigValues {
  readonly gatewayURL?: string;
  readonly token?: string;
  /** Instead of `X-Ignition-API-Token`. */
  readonly authHeader?: string;
  /** Put before the token, e.g. `Bearer`; a word is followed by a blank. */
  readonly authPrefix?: string;
  /** A security scheme of the API document, instead of a header. */
  readonly authScheme?: string;
  /** The API document: a file, relative to the folder of the configuration, or an http or https address. */
  readonly specFile?: string;
  readonly [unknown: string]: unknown;
}

export interface ConfigFile extends ConfigValues {
  readonly activeProfile?: string;
  readonly profiles?: Readonly<Record<string, ConfigValues>>;
}

/** The file that `HAWSER_GATEWAY_CONFIG` names, else the one that igw hosts know. */
export function configPath(env: Environment = process.env, platform: NodeJS.Platform = process.platform): string {
  const named = env["HAWSER_GATEWAY_CONFIG"]?.trim() ?? "";
  if (named !== "") return resolve(named);
  const roaming = (): string => env["APPDATA"] || env["AppData"] || join(env["HOME"] || homedir(), "AppData", "Roaming");
  return join(platform === "win32" ? roaming() : userFolder("config", env), "igw", "config.json");
}

export const configDirectory = (env?: Environment): string => dirname(configPath(env));

/** An error of the configuration: code 2, and the outcome's kind is `config`. */
export function configError(message: string, cause?: unknown): HawserError {
  return new HawserError("usage", message, { cause, facts: { kind: "config" } });
}

/** What the file says; empty if there is none. */
export async function loadConfig(env?: Environment): Promise<ConfigFile> {
  const path = configPath(env);
  const { maxConfigBytes } = gatewayLimits;
  try {
    return parseConfig(await readBoundedFile(path, "configuration file", maxConfigBytes, `is larger than ${maxConfigBytes} bytes`), path);
  } catch (error) {
    if (reasonOf((error as HawserError).cause) === "ENOENT") return {};
    throw error;
  }
}

/** Writes the file, whatever another process wrote meanwhile; `changeConfig` does not lose that. */
export async function saveConfig(config: ConfigFile, env?: Environment): Promise<void> {
  await makeConfigDirectory(env);
  const path = configPath(env);
  // A link stays a link, to where its owner keeps the file.
  const target = await realpath(path).catch(() => path);
  await replacePrivateFile(target, `${JSON.stringify(config, undefined, 2)}\n`).catch((error: unknown) => {
    throw configError(`configuration file ${path} can't be written (${reasonOf(error)})`, error);
  });
}

/** Reads, changes and writes the file while no other process of ours does. */
export async function changeConfig(change: (config: ConfigFile) => ConfigFile, env?: Environment): Promise<ConfigFile> {
  await makeConfigDirectory(env);
  return withFileLock(`${configPath(env)}.lock`, async () => {
    const changed = change(await loadConfig(env));
    await saveConfig(changed, env);
    return changed;
  });
}

async function makeConfigDirectory(env: Environment | undefined): Promise<void> {
  await makeFolder(configDirectory(env)).catch((error: unknown) => {
    throw configError(`folder of the configuration file ${configPath(env)} can't be made (${reasonOf(error)})`, error);
  });
}

const textKeys = ["gatewayURL", "token", "authHeader", "authPrefix", "authScheme", "specFile"] as const;

/** What `config set` and `config profile add` may give. An empty text removes the value. */
export type ConfigChange = Partial<Record<(typeof textKeys)[number], string>>;

function parseConfig(text: string, path: string): ConfigFile {
  const broken = (reason: string): HawserError =>
    configError(`configuration file ${path}: ${reason}. Correct it, or remove it and run: hawser config set`);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    // Without the parser's message: it quotes the file.
    throw broken("is not JSON");
  }
  if (!isRecord(value)) throw broken("is not a JSON object");
  const { profiles, activeProfile } = value;
  requireTexts(value, "", broken);
  if (activeProfile !== undefined && typeof activeProfile !== "string") throw broken("activeProfile is not a string");
  if (profiles !== undefined && profiles !== null && !isRecord(profiles)) throw broken("profiles is not an object");
  for (const [name, profile] of Object.entries(profiles ?? {})) {
    if (!isRecord(profile)) throw broken(`profile ${JSON.stringify(name)} is not an object`);
    requireTexts(profile, ` of profile ${JSON.stringify(name)}`, broken);
  }
  return value as ConfigFile;
}

function requireTexts(values: Readonly<Record<string, unknown>>, where: string, broken: (reason: string) => HawserError): void {
  for (const key of textKeys) {
    if (values[key] !== undefined && typeof values[key] !== "string") throw broken(`${key}${where} is not a string`);
  }
}

const reasonOf = (error: unknown): string => (error as NodeJS.ErrnoException | undefined)?.code ?? "failed";

/** The text of a file of the configuration, which `what` names in messages; `tooLong` says that it has more than `maxBytes`. */
export async function readBoundedFile(path: string, what: string, maxBytes: number, tooLong: string): Promise<string> {
  let file: OpenFile | undefined;
  try {
    file = await openFile(path);
    const content = await readUpTo(file, maxBytes);
    if (content) return content.toString();
  } catch (error) {
    throw configError(`${what} ${path} can't be read (${reasonOf(error)})`, error);
  } finally {
    await file?.close();
  }
  throw configError(`${what} ${path} ${tooLong}`);
}
