// `hawser config`: the configuration file that igw hosts know. Tokens are shown masked only; the file is readable for its
// owner alone.

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
} from "@hawser/gateway/internal";
import { HawserError } from "@hawser/protocol";
import { printAnswer, type OutputFlags } from "../api-target/json-output.ts";
import { readApiKey, type TargetFlags } from "../api-target/target.ts";
import { readInputFile } from "../command-line/input.ts";
import { commandName } from "../command-line/launcher.ts";
import { toTable } from "../command-line/output.ts";

export interface ConfigSetFlags extends OutputFlags, TargetFlags {
  readonly authHeader?: string;
  readonly authPrefix?: string;
  readonly authScheme?: string;
  readonly use?: true;
}

export const runConfigSet = (flags: ConfigSetFlags): Promise<void> =>
  printAnswer(flags, async () => {
    const change = await toChange(flags);
    const { profile = "" } = flags;
    const { activeProfile = "" } = await changeConfig((config) => {
      if (profile === "") return setValues(config, change);
      // It must be there: a slip of the pen must not make another one.
      useProfile(config, profile);
      return addProfile(config, profile, change);
    });
    const isUnused = profile === "" && activeProfile !== "";
    return {
      json: { ok: true, configPath: configPath(), gatewayURL: change.gatewayURL ?? "", profile, tokenUpdated: change.token !== undefined },
      text: `saved config: ${configPath()}\n`,
      note: isUnused
        ? `note: calls use the active profile "${activeProfile}", not this; to change it add --profile ${activeProfile}`
        : undefined,
    };
  });

export const runConfigShow = (flags: OutputFlags): Promise<void> =>
  printAnswer(flags, async () => {
    const config = await loadConfig();
    const { gatewayURL = "", activeProfile = "" } = config;
    const tokenMasked = maskToken(config.token ?? "");
    const specFile = config.specFile !== undefined && { specFile: config.specFile };
    const profiles = listProfiles(config);
    const lines = [
      ["gateway_url", gatewayURL],
      ["token", tokenMasked],
      ...(specFile ? [["spec_file", specFile.specFile]] : []),
      ...(activeProfile === "" ? [] : [["active_profile", activeProfile]]),
      ...profiles.map((each) => ["profile", each.name, each.gatewayURL ?? "", each.token ?? "", each.specFile ?? []].flat()),
    ];
    const shownProfiles = profiles.map((each) => [
      each.name,
      { gatewayURL: each.gatewayURL ?? "", tokenMasked: each.token ?? "", ...(each.specFile !== undefined && { specFile: each.specFile }) },
    ]);
    const all = { profiles: Object.fromEntries(shownProfiles) as object, profileCount: profiles.length };
    return {
      json: { configPath: configPath(), gatewayURL, tokenMasked, activeProfile, ...specFile, ...all },
      text: toTable(lines),
    };
  });

export const runProfileAdd = (given: string, flags: ConfigSetFlags): Promise<void> =>
  printAnswer(flags, async () => {
    const name = given.trim();
    const change = await toChange(flags);
    const { activeProfile } = await changeConfig((before) => {
      const added = addProfile(before, name, change);
      return flags.use ? useProfile(added, name) : added;
    });
    const active = activeProfile === name;
    return {
      json: { ok: true, name, active, gatewayURL: change.gatewayURL ?? "", tokenUpdated: change.token !== undefined },
      text: `saved profile: ${name}\n${active ? `active profile: ${name}\n` : ""}`,
    };
  });

export const runProfileUse = (given: string, flags: OutputFlags): Promise<void> =>
  printAnswer(flags, async () => {
    const active = given.trim();
    await changeConfig((config) => useProfile(config, active));
    return { json: { ok: true, active }, text: `active profile: ${active}\n` };
  });

export const runProfileRemove = (given: string, flags: OutputFlags): Promise<void> =>
  printAnswer(flags, async () => {
    const removed = given.trim();
    const { activeProfile = "", profiles = {} } = await changeConfig((config) => removeProfile(config, removed));
    const others = Object.keys(profiles);
    const isNoneActive = activeProfile === "" && others.length > 0;
    return {
      json: { ok: true, removed, activeProfile },
      text: `removed profile: ${removed}\n`,
      note: isNoneActive
        ? `note: no profile is active now (there are: ${others.join(", ")}); choose one: ${commandName()} config profile use ${others[0]}`
        : undefined,
    };
  });

export const runProfileList = (flags: OutputFlags): Promise<void> =>
  printAnswer(flags, async () => {
    const config = await loadConfig();
    const found = listProfiles(config);
    const profiles = found.map(({ token, ...profile }) => ({ ...profile, ...(token !== undefined && { tokenMasked: token }) }));
    const rows = found.map(({ name, active, gatewayURL = "", token = "" }) => [active ? "*" : "", name, gatewayURL, token]);
    return {
      json: { activeProfile: config.activeProfile ?? "", count: profiles.length, profiles },
      text: toTable([["ACTIVE", "NAME", "GATEWAY_URL", "TOKEN"], ...rows]),
    };
  });

async function toChange(flags: ConfigSetFlags): Promise<ConfigChange> {
  const token = (await readApiKey(flags)) ?? (flags.apiKeyFile === undefined ? undefined : await readTokenFile(flags.apiKeyFile));
  const { gatewayUrl: gatewayURL, authHeader, authPrefix, authScheme } = flags;
  const specFile = flags.specFile?.trim() ? toSpecFile(flags.specFile, process.cwd()) : flags.specFile;
  const all = { gatewayURL, token, authHeader, authPrefix, authScheme, specFile };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  if (given.length === 0)
    throw new HawserError(
      "usage",
      "say what to set, for example --gateway-url https://gateway.example:8043 --api-key-stdin; there are also --api-key-file, --api-key, --spec-file, --auth-header, --auth-prefix and --auth-scheme",
    );
  return Object.fromEntries(given) as ConfigChange;
}

async function readTokenFile(path: string): Promise<string> {
  const token = (await readInputFile(path, "the token's file")).toString("utf8").trim();
  if (token === "") throw new HawserError("usage", `the token's file ${path} is empty; write the token into it`);
  return token;
}
