// Opens the page in the person's browser, where there is one. The address carries a key, and every user of a machine can read
// the arguments of every program: so the browser is given a file that leads to the address, which only this user can read and
// which is gone when it was used. Where that does not work (a browser in a sandbox can't read it), it is said.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { PageAddress } from "@hawser/shell";
import { describeThrown } from "@hawser/protocol";
import { hawserLimits } from "../limits.ts";
import { createPrivateFolder } from "@hawser/wire/internal/node";

export interface OpenOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
  readonly waitMs?: number;
  /** For the person at the terminal. */
  onNotice(text: string): void;
}

/** Returns how to give up: the file goes then, as it does when the address was used. */
export function openBrowser(address: PageAddress, options: OpenOptions): () => void {
  const { env, platform = process.platform, waitMs = hawserLimits.shellOpenMs, onNotice } = options;
  const opener = openerOf(env, platform);
  if (!opener) return () => {};
  const [command, ...args] = opener;
  const ends: (() => void)[] = [];
  function stop(): void {
    for (const end of ends.splice(0)) end();
  }
  function fail(reason: string): void {
    // Once the page is open, it doesn't matter how the opener ends.
    if (ends.length === 0) return;
    stop();
    onNotice(`no browser could be opened (${reason}); open the address above`);
  }
  try {
    const file = createRedirectFile(address.url);
    const timer = setTimeout(() => fail("it did not come to the page; one in a sandbox can't read the file that leads there"), waitMs);
    ends.push(file.remove, () => clearTimeout(timer));
    void address.used.then(stop);
    const child = spawn(command, [...args, file.url], { stdio: "ignore", detached: true, env });
    child.once("error", (error) => fail(describeThrown(error)));
    child.once("exit", (code) => (code === 0 || code === null ? undefined : fail(`${child.spawnfile} ended with ${code}`)));
    // The browser outlives us; it is the person's.
    child.unref();
  } catch (error) {
    onNotice(`no browser is opened (${describeThrown(error)}); open the address above`);
  }
  return stop;
}

/** In a folder that only this user can enter; left by a killed launch, the next one removes it. */
function createRedirectFile(url: string): { readonly url: string; remove(): void } {
  const { path: folder, remove } = createPrivateFolder("open");
  const path = join(folder, "hawser.html");
  // Base64 letters and an address of our own: there is nothing to escape.
  const page = `<!doctype html><meta charset="utf-8"><title>Hawser</title><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${url}"><a href="${url}">Hawser</a>\n`;
  try {
    writeFileSync(path, page, { flag: "wx", mode: 0o600 });
  } catch (error) {
    remove();
    throw error;
  }
  return { url: pathToFileURL(path).href, remove };
}

/** The program that opens files here; undefined without a screen, on a build server, or with BROWSER=none. */
export function openerOf(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): readonly [command: string, ...args: string[]] | undefined {
  const { BROWSER, CI, DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION } = env;
  if (CI || BROWSER === "none") return undefined;
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return (DISPLAY || WAYLAND_DISPLAY) && !SSH_CONNECTION ? ["xdg-open"] : undefined;
}
