// The system's keychain, where there is one: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows. The package that
// speaks to it is optional, and it blocks its whole process until the keychain answers, which may wait for a password that is never
// entered. So each request is a short-lived child, which is ended when its time is over: the keychain then counts as not there. A key
// goes to the child on its stdin, never in its arguments. HAWSER_KEYCHAIN=off leaves the keychain alone.

import { createRequire } from "node:module";
import { text as readText } from "node:stream/consumers";
import { settingsLimits, type Keychain } from "@hawser/agent/internal";
import { HawserError, isRecord } from "@hawser/protocol/internal";
import { isSettledWithin } from "@hawser/wire/internal";
import { startChild } from "@hawser/wire/node";

type Verb = keyof Pick<import("@napi-rs/keyring").Entry, "getPassword" | "setPassword" | "deletePassword">;

/** Not the kernel's keyring of Linux, which forgets everything when the machine is started again. */
const program = `
  const { Entry } = require(process.argv[1]);
  require("node:stream/consumers").json(process.stdin).then(({ verb, account, secret }) => {
    const entry = new Entry("dev.hawser", account, { linux: { store: "secret-service" } });
    return entry[verb](...(secret === undefined ? [] : [secret]));
  }).then(
    (value) => process.stdout.write(JSON.stringify({ value })),
    (error) => process.stdout.write(JSON.stringify({ problem: error.message })),
  );
`;

export function createSystemKeychain(env: NodeJS.ProcessEnv, timeoutMs = settingsLimits.keychainMs): Keychain {
  async function ask(verb: Verb, account: string, secret?: string): Promise<unknown> {
    if (env["HAWSER_KEYCHAIN"] === "off") throw new HawserError("usage", "HAWSER_KEYCHAIN is off");
    const place = createRequire(import.meta.url).resolve("@napi-rs/keyring");
    // What it says besides its answer might hold anything.
    const onStderr = (): void => {};
    const child = await startChild({
      stdio: "pipe",
      command: process.execPath,
      args: ["-e", program, place],
      env,
      isGuarded: true,
      onStderr,
    });
    try {
      // One that can't be started properly reads nothing, which is seen by its missing answer.
      child.stdin.on("error", () => {}).end(JSON.stringify({ verb, account, secret }));
      const answering = readText(child.stdout).catch(() => "");
      if (!(await isSettledWithin(answering, timeoutMs))) {
        child.kill("SIGKILL");
        throw new HawserError("timeout", `it has not answered within ${timeoutMs} ms`);
      }
      return toValue(await answering);
    } finally {
      await child.stop();
    }
  }

  return {
    async get(account) {
      const value = await ask("getPassword", account);
      return typeof value === "string" ? value : undefined;
    },
    set: async (account, secret) => void (await ask("setPassword", account, secret)),
    remove: async (account) => void (await ask("deletePassword", account)),
  };
}

function toValue(answer: string): unknown {
  const { value, problem } = parse(answer);
  if (problem !== undefined) throw new HawserError("connection_failed", String(problem));
  return value;
}

function parse(answer: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(answer);
    if (isRecord(value)) return value;
  } catch {
    // It has ended without an answer.
  }
  return { problem: "it gave no answer" };
}
