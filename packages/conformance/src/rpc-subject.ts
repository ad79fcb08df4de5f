// An rpc server under test: a command that is given the address and the token of an HTTP API, with us on both sides: the host on its
// pipes and the API that it calls. Each scenario has a private folder for configuration, caches and the API's document.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inPrivateFolder, startCommand, toSubject, type CommandSubjectOptions, type StartCommand } from "./command-subject.ts";
import { listenApi } from "./scripted-peers.ts";
import type { Setup } from "./scenario.ts";
import type { Subject } from "./subject.ts";

/** The same in every scenario, so that a scenario can look for it where it must not be. */
export const rpcToken = "conform-token-5f2c7a";

/** `{url}` and `{token}` in the arguments stand for the API's; a missing one is added at the end as a flag. */
export const rpcSubject = (options: CommandSubjectOptions, start: StartCommand = startCommand): Subject =>
  toSubject(options, (setup = {}) =>
    inPrivateFolder(async (folder, onClose) => {
      const api = await listenApi(setup.answers ?? [], setup.listen !== false);
      onClose(api.close);
      const { url, facts } = api;
      const writeConfig = (config: unknown): void => writeJson(join(folder, "igw", "config.json"), config, url);
      if (setup.config !== undefined) writeConfig(setup.config);
      const specPath = join(folder, "openapi.json");
      if (setup.document !== undefined) writeJson(specPath, setup.document, url);
      const specFlags = setup.document === undefined ? [] : ["--spec-file", specPath];
      const args = [...toArguments(options.args ?? [], url, setup), ...specFlags, ...(setup.flags ?? [])];
      const session = await start({ ...options, args, env: toEnvironment(options.env ?? process.env, folder) });
      onClose(session.close);
      // The API closes before it too: that ends calls that wait for it, and a server that lets them finish can exit by itself.
      onClose(api.close);
      return {
        ...session,
        facts: () => ({ ...facts(), isInputFull: session.input.writableLength > 0, stderr: session.lastWords() }),
        writeConfig,
      };
    }),
  );

/** Without the user's own configuration, whichever way it was given. */
const toEnvironment = (env: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv => ({
  ...env,
  XDG_CONFIG_HOME: folder,
  XDG_CACHE_HOME: folder,
  IGNITION_GATEWAY_URL: undefined,
  IGNITION_API_TOKEN: undefined,
});

/** With a configuration file, the file says where the API is. */
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
