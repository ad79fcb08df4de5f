// Opens an address in the person's browser, where there is one. Nothing depends on it: the address stands
// on the terminal too.

import { spawn } from "node:child_process";

/** Resolves when the opener was started, or there is none. */
export function openBrowser(
  url: string,
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  const [command, ...args] = openerOf(url, env, platform) ?? [];
  if (command === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const opener = spawn(command, args, { stdio: "ignore", detached: true });
    opener.once("error", () => resolve());
    opener.once("spawn", () => {
      // The browser outlives us; it is the person's.
      opener.unref();
      resolve();
    });
  });
}

/** The program that opens addresses here; none without a screen, on a build server, or for whoever said so in BROWSER. */
export function openerOf(url: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): readonly string[] | undefined {
  const { BROWSER, CI, DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION } = env;
  if (CI || BROWSER === "none") return undefined;
  if (platform === "darwin") return ["open", url];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return (DISPLAY || WAYLAND_DISPLAY) && !SSH_CONNECTION ? ["xdg-open", url] : undefined;
}
