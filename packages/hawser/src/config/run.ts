// `hawser config`: the configuration file that igw hosts know. Tokens come from a file, stdin or a flag
// and are shown masked only; the file is readable for its owner alone.

import {
  addProfile,
  changeConfig,
  configPath,
  listProfiles,
  loadConfig,
  maskToken,
  removeProfile,
  setValues,
  toSpecFile,
  useProfile,
  type ConfigChange,
  type ConfigFile,
} from "@hawser/gateway/internal";
import { HawserError } from "@hawser/protocol";
import { reportAsJson, toJson, type OutputFlags } from "../api-target/json-output.ts";
import { readApiKey, type TargetFlags } from "../api-target/target.ts";
import { readInputFile } from "../command-line/input.ts";
import { printTo } from "../command-line/output.ts";

export interface ConfigSetFlags
  extends OutputFlags, Pick<TargetFlags, "gatewayUrl" | "apiKey" | "apiKeyFile" | "apiKeyStdin" | "profile" | "specFile"> {
  readonly authHeader?: string;
  readonly authPrefix?: string;
  readonly authScheme?: string;
  readonly use?: true;
}

export const runConfigSet = (flags: ConfigSetFlags): Promise<void> =>
  reportAsJson(flags, async () => {
    const change = await toChange(flags);
    const { profile = "" } = flags;
    const { activeProfile = "" } = await changeConfig((config) =>
      profile === "" ? setValues(config, change) : addProfile(useExisting(config, profile), profile, change),
    );
    const saved = { configPath: configPath(), gatewayURL: change.gatewayURL ?? "", profile, tokenUpdated: change.token !== undefined };
    print(flags, { ok: true, ...saved }, `saved config: ${configPath()}`);
    if (profile === "" && activeProfile !== "")
      printTo(
        process.stderr,
        `note: calls use the active profile "${activeProfile}", not this; to change it add --profile ${activeProfile}\n`,
      );
  });

export const runConfigShow = (flags: OutputFlags): Promise<void> =>
  reportAsJson(flags, async () => {
    const config = await loadConfig();
    const profiles = listProfiles(config);
    const shown = {
      configPath: configPath(),
      gatewayURL: config.gatewayURL ?? "",
      tokenMasked: maskToken(config.token ?? ""),
      activeProfile: config.activeProfile ?? "",
      ...(config.specFile !== undefined && { specFile: config.specFile }),
      profiles: Object.fromEntries(
        profiles.map(({ name, gatewayURL = "", token = "", specFile }) => [
          name,
          { gatewayURL, tokenMasked: token, ...(specFile !== undefined && { specFile }) },
        ]),
      ),
      profileCount: profiles.length,
    };
    const lines = [
      `gateway_url\t${shown.gatewayURL}`,
      `token\t${shown.tokenMasked}`,
      ...(config.specFile === undefined ? [] : [`spec_file\t${config.specFile}`]),
      ...(shown.activeProfile === "" ? [] : [`active_profile\t${shown.activeProfile}`]),
      ...profiles.map(({ name, gatewayURL = "", token = "", specFile }) =>
        ["profile", name, gatewayURL, token, ...(specFile === undefined ? [] : [specFile])].join("\t"),
      ),
    ];
    print(flags, shown, lines.join("\n"));
  });

export const runProfileAdd = (name: string, flags: ConfigSetFlags): Promise<void> =>
  reportAsJson(flags, async () => {
    const change = await toChange(flags);
    const config = await changeConfig((before) => {
      const added = addProfile(before, name, change);
      return flags.use ? useProfile(added, name) : added;
    });
    const active = config.activeProfile === name.trim();
    const added = { name: name.trim(), active, gatewayURL: change.gatewayURL ?? "", tokenUpdated: change.token !== undefined };
    print(flags, { ok: true, ...added }, `saved profile: ${added.name}${active ? `\nactive profile: ${added.name}` : ""}`);
  });

export const runProfileUse = (name: string, flags: OutputFlags): Promise<void> =>
  reportAsJson(flags, async () => {
    await changeConfig((config) => useProfile(config, name));
    print(flags, { ok: true, active: name.trim() }, `active profile: ${name.trim()}`);
  });

export const runProfileRemove = (name: string, flags: OutputFlags): Promise<void> =>
  reportAsJson(flags, async () => {
    const config = await changeConfig((before) => removeProfile(before, name));
    print(flags, { ok: true, removed: name.trim(), activeProfile: config.activeProfile ?? "" }, `removed profile: ${name.trim()}`);
  });

export const runProfileList = (flags: OutputFlags): Promise<void> =>
  reportAsJson(flags, async () => {
    const config = await loadConfig();
    const profiles = listProfiles(config).map(({ token, ...profile }) => ({
      ...profile,
      ...(token !== undefined && { tokenMasked: token }),
    }));
    const rows = profiles.map(
      ({ name, active, gatewayURL = "", tokenMasked = "" }) => `${active ? "*" : ""}\t${name}\t${gatewayURL}\t${tokenMasked}`,
    );
    const listing = { activeProfile: config.activeProfile ?? "", count: profiles.length, profiles };
    print(flags, listing, ["ACTIVE\tNAME\tGATEWAY_URL\tTOKEN", ...rows].join("\n"));
  });

async function toChange(flags: ConfigSetFlags): Promise<ConfigChange> {
  const token = (await readApiKey(flags)) ?? (flags.apiKeyFile === undefined ? undefined : readTokenFile(flags.apiKeyFile));
  const { gatewayUrl: gatewayURL, authHeader, authPrefix, authScheme } = flags;
  const specFile = flags.specFile?.trim() ? toSpecFile(flags.specFile, process.cwd()) : flags.specFile;
  const all = { gatewayURL, token, authHeader, authPrefix, authScheme, specFile };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  if (given.length === 0)
    throw new HawserError(
      "usage",
      "set at least one of --gateway-url, --api-key-file, --api-key-stdin, --api-key, --spec-file and --auth-…",
    );
  return Object.fromEntries(given) as ConfigChange;
}

function readTokenFile(path: string): string {
  const token = readInputFile(path, "the token's file").toString("utf8").trim();
  if (token === "") throw new HawserError("usage", `the token's file ${path} is empty; write the token into it`);
  return token;
}

// `config set --profile` changes a profile that is there: a slip of the pen must not make another one.
const useExisting = (config: ConfigFile, name: string): ConfigFile => {
  useProfile(config, name);
  return config;
};

function print(flags: OutputFlags, value: object, text: string): void {
  printTo(process.stdout, `${flags.json ? toJson(value, flags.compact === true) : text}\n`);
}
