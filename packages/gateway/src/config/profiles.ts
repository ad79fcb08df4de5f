// Changes of a configuration, as pure functions from one to the next, and what is shown of it. Values
// are checked before they are written; a token is never shown whole.

import { nearNames } from "@hawser/protocol/internal";
import { configError, type ConfigChange, type ConfigFile, type ConfigValues } from "./config-file.ts";
import { parseGatewayUrl, parseHeaderName, parseToken, toDocumentUrl } from "./target.ts";

type ProfileSummary = Pick<ConfigValues, "gatewayURL" | "token" | "specFile"> & { readonly name: string; readonly active: boolean };

/** Adds a profile, or changes the one of that name. The first one becomes active. */
export function addProfile(config: ConfigFile, name: string, change: ConfigChange): ConfigFile {
  const key = name.trim();
  if (!/^[\w.@-]{1,64}$/.test(key) || key === "__proto__") throw configError("a profile's name has up to 64 letters, digits, and . _ @ -");
  const isFirst = Object.keys(config.profiles ?? {}).length === 0;
  const profiles = { ...config.profiles, [key]: setValues(ownProfile(config, key) ?? {}, change) };
  return { ...config, ...(isFirst && !config.activeProfile && { activeProfile: key }), profiles };
}

export function useProfile(config: ConfigFile, name: string): ConfigFile {
  requireProfile(config, name.trim());
  return { ...config, activeProfile: name.trim() };
}

/** Removes a profile; if it was the active one, none is active afterwards. */
export function removeProfile(config: ConfigFile, name: string): ConfigFile {
  const key = name.trim();
  requireProfile(config, key);
  const profiles = Object.fromEntries(Object.entries(config.profiles ?? {}).filter(([other]) => other !== key));
  const { activeProfile, ...rest } = config;
  return { ...rest, ...(activeProfile !== undefined && activeProfile !== key && { activeProfile }), profiles };
}

/** With masked tokens. */
export function listProfiles(config: ConfigFile): readonly ProfileSummary[] {
  const entries = Object.entries(config.profiles ?? {}).toSorted(([first], [second]) => (first < second ? -1 : 1));
  return entries.map(([name, { gatewayURL, token, specFile }]) => ({
    name,
    active: name === config.activeProfile,
    ...(gatewayURL !== undefined && { gatewayURL }),
    ...(token !== undefined && { token: maskToken(token) }),
    ...(specFile !== undefined && { specFile }),
  }));
}

/** Enough to recognize a token, too little to use it. */
export function maskToken(token: string): string {
  if (token === "") return "";
  if (token.length <= 8) return "****";
  return `${token.slice(0, 4)}...${token.slice(-2)}`;
}

/** The profile of that name; never something that every object has. */
function ownProfile(config: ConfigFile, name: string): ConfigValues | undefined {
  return config.profiles && Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
}

export function requireProfile(config: ConfigFile, name: string): ConfigValues {
  const profile = ownProfile(config, name);
  if (profile) return profile;
  const names = Object.keys(config.profiles ?? {}).join(", ") || "none";
  const [near] = nearNames(name, Object.keys(config.profiles ?? {}));
  const advice = near === undefined ? `Add it: hawser config profile add ${name}` : `Did you mean ${near}?`;
  throw configError(`profile ${JSON.stringify(name)} not found (there are: ${names}). ${advice}`);
}

export function setValues(values: ConfigValues, change: ConfigChange): ConfigValues {
  if (change.gatewayURL) parseGatewayUrl(change.gatewayURL);
  if (change.token) parseToken(change.token);
  if (change.authHeader) parseHeaderName(change.authHeader);
  toDocumentUrl(change.specFile?.trim());
  const merged: Record<string, unknown> = { ...values };
  for (const [key, value] of Object.entries(change)) {
    // A prefix ends with a blank that matters.
    const kept = key === "authPrefix" ? value : value.trim();
    if (kept === "") delete merged[key];
    else merged[key] = kept;
  }
  return merged;
}
