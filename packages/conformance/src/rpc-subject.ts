// An rpc server under test: a command that is given the address and the token of an HTTP API, with us
// on both sides of it. We are the host on its pipes and the API that it calls. Each scenario gets a
// private folder for configuration, caches and the API's document; all of it is removed.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inPrivateFolder, startCommand, toSubject, type CommandSubjectOptions, type StartCommand } from "./command-subject.ts";
import { listenApi } from "./scripted-api.ts";
import type { Setup } from "./scenario.ts";
import type { Subject } from "./subject.ts";

/** In every scenario, so that a scenario can look for it where it must not be. */
export const rpcToken = "conform-token-5f2c7a";

/** `{url}` and `{token}` in the arguments stand for the API's; what is not there is added at the end as a flag. */
export const rpcSubject = (options: CommandSubjectOptions, start: StartCommand = startCommand): Subject =>
  toSubject(options, (setup = {}) =>
    inPrivateFolder(async (folder, onClose) => {
      const api = await listenApi(setup.answers ?? [], setup.listen !== false);
      onClose(api.close);
      const { url, facts } = api;
      const writeConfig = (config: unknown): void => writeJson(join(folder, "igw", "config.json"), config, url);
      if (setup.config !== undefined) writeConfig(setup.config);
      const specFlags = setup.document === undefined ? [] : ["--spec-file", join(folder, "openapi.json")];
      if (setup.document !== undefined) writeJson(join(folder, "openapi.json"), setup.document, url);
      const args = [...toArguments(options.args ?? [], url, setup), ...specFlags, ...(setup.flags ?? [])];
      const session = await start({ ...options, args, env: toEnvironment(options.env ?? process.env, folder) });
      onClose(session.close);
      // And the API before it: calls that wait for it end with it, and a server that lets them finish can exit by itself.
      onClose(api.close);
      return {
        ...session,
        facts: () => ({ ...facts(), isInputFull: session.input.writableLength > 0, stderr: session.lastWords() }),
        writeConfig,
      };
    }),
  );

/** The user's own configuration is not there, whichever way it was given. */
const toEnvironment = (env: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv => ({
  ...env,
  XDG_CONFIG_HOME: folder,
  XDG_CACHE_HOME: folder,
  IGNITION_GATEWAY_URL: undefined,
  IGNITION_API_TOKEN: undefined,
});

/** With a configuration file it is the file that says where the API is. */
function toArguments(args: readonly string[], url: string, { config }: Setup): string[] {
  const values: readonly [string, string, string][] = [
    ["{url}", "--gateway-url", url],
    ["{token}", "--api-key", rpcToken],
  ];
  const has = (word: string): boolean => args.some((arg) => arg.includes(word));
  const missing = config === undefined ? values.filter(([word]) => !has(word)).flatMap(([, flag, value]) => [flag, value]) : [];
  return [...args.map((arg) => arg.replaceAll("{url}", url).replaceAll("{token}", rpcToken)), ...missing];
}

/** A text is written as it is, any other value as JSON; `{url}` in it is the API's address. */
function writeJson(path: string, value: unknown, url: string): void {
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
  const text = typeof value === "string" ? value : JSON.stringify(value);
  writeFileSync(path, text.replaceAll("{url}", url), { mode: 0o600 });
}
