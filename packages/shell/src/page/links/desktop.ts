// What a desktop window can do besides moving lines: keep settings and keys, show the system's dialog for folders, and quit. All of it
// is asked of the process behind the window. A key goes there and never comes back; the page only learns where it is kept.

import type { PermissionRule } from "@hawser/agent/host/link";
import { HawserError, isRecord } from "@hawser/protocol/internal";
import { themes, type Theme } from "../session/theme.ts";

export interface DesktopSettings {
  /** Undefined: the best one available. */
  readonly model?: string | undefined;
  readonly roots: readonly string[];
  readonly allowedCommands: readonly string[];
  readonly permissionRules: readonly PermissionRule[];
  readonly shortcut: string;
  readonly theme: Theme;
}

export const vendors = ["anthropic", "openai"] as const;
export type Vendor = (typeof vendors)[number];
const places = ["keychain", "environment", "file", "none"] as const;
export type KeyPlace = (typeof places)[number];
export type KeyPlaces = Readonly<Record<Vendor, KeyPlace>>;

export interface DesktopState {
  readonly settings: DesktopSettings;
  /** Why the shortcut does not work; another program may have it. */
  readonly shortcutProblem?: string | undefined;
  /** What is wrong with the file; what it says does not count then. */
  readonly settingsProblem?: string | undefined;
  readonly where: { readonly settingsFile: string; readonly dataFolder: string };
}

export type Desktop = ReturnType<typeof createDesktop>;

export function createDesktop({ invoke }: Pick<TauriPowers, "invoke">) {
  const call = (command: string, args: Record<string, unknown> = {}): Promise<unknown> => callDesktop(invoke, command, args);
  return {
    read: async (): Promise<DesktopState> => toState(await call("settings_get")),
    /** Rejects with a sentence, and changes nothing then. */
    save: (settings: DesktopSettings) => call("settings_set", { settings }),
    /** Only the theme; other settings may have been changed meanwhile. */
    saveTheme: (theme: Theme) => call("theme_set", { theme }),
    /** May take long: a keychain may wait for a password. */
    async readKeys(): Promise<KeyPlaces> {
      const keys = await call("keys_get");
      return { anthropic: toPlace(keys, "anthropic"), openai: toPlace(keys, "openai") };
    },
    /** An empty key removes it. Resolves with whether the agent is started again, to know of it. */
    saveKey: async (vendor: Vendor, key: string): Promise<boolean> => (await call("key_set", { vendor, key })) === true,
    /** By the system's own dialog; undefined when none was chosen there. */
    async pickFolder(): Promise<string | undefined> {
      const folder = await call("folder_pick");
      return typeof folder === "string" ? folder : undefined;
    },
    quit: () => call("quit"),
  };
}

/** A newer app may leave out or add members; the rest is still shown. */
function toState(value: unknown): DesktopState {
  const { settings, shortcutProblem, settingsProblem, where } = isRecord(value) ? value : {};
  if (!isRecord(settings)) throw new HawserError("internal", "the app did not say what its settings are");
  const { model, shortcut, theme } = settings;
  return {
    settings: {
      ...(typeof model === "string" && model !== "" && { model }),
      roots: toTexts(settings["roots"]),
      allowedCommands: toTexts(settings["allowedCommands"]),
      permissionRules: (Array.isArray(settings["permissionRules"]) ? settings["permissionRules"] : []) as readonly PermissionRule[],
      shortcut: typeof shortcut === "string" ? shortcut : "",
      theme: themes.find((name) => name === theme) ?? "system",
    },
    ...(typeof shortcutProblem === "string" && { shortcutProblem }),
    ...(typeof settingsProblem === "string" && { settingsProblem }),
    where: { settingsFile: toText(where, "settingsFile"), dataFolder: toText(where, "dataFolder") },
  };
}

const toTexts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((item) => typeof item === "string") : []);
const toText = (value: unknown, name: string): string => (isRecord(value) && typeof value[name] === "string" ? value[name] : "");
const toPlace = (keys: unknown, vendor: Vendor): KeyPlace => places.find((place) => place === toText(keys, vendor)) ?? "none";

export interface TauriPowers {
  listen(event: string, handler: (event: { readonly payload: unknown }) => void): Promise<() => void>;
  /** Bytes go as they are, not as JSON; what else is to be said of them goes in headers. */
  invoke(command: string, args: Record<string, unknown> | Uint8Array, options?: { headers: Record<string, string> }): Promise<unknown>;
}

/** A refusal comes as a plain text; it becomes an error here. */
export async function callDesktop(invoke: TauriPowers["invoke"], ...call: Parameters<TauriPowers["invoke"]>): Promise<unknown> {
  try {
    return await invoke(...call);
  } catch (cause) {
    throw typeof cause === "string" ? new HawserError("usage", cause) : cause;
  }
}
