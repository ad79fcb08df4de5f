// A real keychain: GNOME's, on the bus of the test's own machine, with a password. What is in it is read with
// `secret-tool`, as any other program of the same user would.

import { execFileSync, spawnSync, type ChildProcess } from "node:child_process";
import { vi } from "vitest";
import type { Surroundings } from "./surroundings.ts";

const [daemon, reader] = ["gnome-keyring-daemon", "secret-tool"];
const password = "the password of the keyring";

/** Why there is none on this machine; undefined when there is one. */
export function whyNoKeyring(): string | undefined {
  const missing = [daemon, reader].filter((name) => spawnSync(name, ["--version"], { stdio: "ignore", timeout: 30_000 }).error);
  if (missing.length === 0) return undefined;
  return `${missing.join(" and ")} not found; on Debian: apt-get install gnome-keyring libsecret-tools`;
}

/** Where it finds its password: below the machine's own folder. */
export const keyringHome = { "keyring-password": password };

/** Starts it, open or locked; resolves when it answers. */
export async function startKeyring(place: Pick<Surroundings, "start" | "env">, state: "open" | "locked" = "open"): Promise<Keyring> {
  const begin = `exec ${daemon} --foreground --components=secrets ${state === "open" ? "--unlock < keyring-password" : "< /dev/null"}`;
  const child = place.start("/bin/sh", ["-c", begin], place.env);
  const answers = (): boolean => spawnSync(reader, ["search", "a", "b"], { env: place.env, stdio: "ignore", timeout: 5_000 }).status === 0;
  await vi.waitUntil(answers, { timeout: 30_000, interval: 50 });
  return {
    read: (account) => readSecret(place.env, account),
    write: (account, secret) => writeSecret(place.env, account, secret),
    end: () => endKeyring(child),
  };
}

export interface Keyring {
  /** What it keeps for the app under this name; empty when there is nothing. */
  read(account: string): string;
  write(account: string, secret: string): void;
  end(): Promise<void>;
}

const attributes = (account: string): string[] => ["service", "dev.hawser.desktop", "username", account];

function writeSecret(env: NodeJS.ProcessEnv, account: string, secret: string): void {
  execFileSync(reader, ["store", "--label=Hawser", ...attributes(account)], { env, input: secret, timeout: 10_000 });
}

function readSecret(env: NodeJS.ProcessEnv, account: string): string {
  try {
    return execFileSync(reader, ["lookup", ...attributes(account)], {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 10_000,
    });
  } catch (error) {
    // It says by its exit code that there is none.
    if ((error as { status?: number }).status === 1) return "";
    throw error;
  }
}

async function endKeyring(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}
