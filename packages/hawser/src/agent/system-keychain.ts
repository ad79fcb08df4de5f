// The system's keychain, where there is one: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows. The package that
// speaks to it is optional and loaded at the first use. It may wait for a password that is never entered: then it counts as not there.
// HAWSER_KEYCHAIN=off leaves it alone.

import { HawserError } from "@hawser/protocol";
import { settingsLimits, type Keychain } from "@hawser/agent/internal";

const service = "dev.hawser";

export function createSystemKeychain(env: NodeJS.ProcessEnv, timeoutMs = settingsLimits.keychainMs): Keychain {
  async function use<Result>(account: string, action: (entry: Entry, signal: AbortSignal) => Promise<Result>): Promise<Result> {
    if (env["HAWSER_KEYCHAIN"] === "off") throw new HawserError("usage", "HAWSER_KEYCHAIN is off");
    const late = AbortSignal.timeout(timeoutMs);
    const whenLate = new Promise<never>((_, reject) => {
      late.addEventListener("abort", () => reject(new HawserError("timeout", `it has not answered within ${timeoutMs} ms`)), {
        once: true,
      });
    });
    return Promise.race([openEntry(account).then((entry) => action(entry, late)), whenLate]);
  }

  return {
    get: (account) => use(account, async (entry, signal) => (await entry.getPassword(signal)) ?? undefined),
    set: (account, secret) => use(account, (entry, signal) => entry.setPassword(secret, signal)),
    remove: (account) => use(account, async (entry, signal) => void (await entry.deletePassword(signal))),
  };
}

type Entry = InstanceType<(typeof import("@napi-rs/keyring"))["AsyncEntry"]>;

async function openEntry(account: string): Promise<Entry> {
  const { AsyncEntry } = await import("@napi-rs/keyring");
  // Not the kernel's keyring, which forgets everything when the machine is started again.
  return new AsyncEntry(service, account, { linux: { store: "secret-service" } });
}
