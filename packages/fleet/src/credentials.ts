// Who we are to the fleet's servers, from a file that only its owner may read: a password on the command line or in an address could
// be read by other users.

import { readFileSync, statSync } from "node:fs";
import { credsAuthenticator, nkeyAuthenticator, nkeys, type Authenticator } from "@nats-io/transport-node";
import { describeThrown, HawserError } from "@hawser/protocol";
import { isRecord } from "@hawser/protocol/internal";

export interface Credentials {
  readonly options: { authenticator: Authenticator } | { user: string; pass: string } | { token: string };
  /** A name that can stand in a subject: permissions can speak of it. */
  readonly user: string | undefined;
}

/** Throws `usage`. */
export function readCredentials(path: string): Credentials {
  const bytes = readSecretFile(path, "credentials");
  const text = bytes.toString("utf8");
  if (text.includes("-----BEGIN NATS USER JWT-----"))
    return { options: { authenticator: credsAuthenticator(bytes) }, user: toSubjectName(readJwtSubject(text)) };
  const line = text.trim();
  if (line === "" || line.includes("\n"))
    throw new HawserError("usage", `${path} holds no credentials: neither a NATS .creds file nor one line user:password`);
  // A seed can't be mistaken for anything else.
  if (/^SU[A-Z2-7]{56}$/.test(line)) return readSeed(Buffer.from(line), path);
  const colon = line.indexOf(":");
  if (colon === -1) return { options: { token: line }, user: undefined };
  const user = line.slice(0, colon);
  return { options: { user, pass: line.slice(colon + 1) }, user: toSubjectName(user) };
}

function readSeed(seed: Buffer, path: string): Credentials {
  try {
    return { options: { authenticator: nkeyAuthenticator(seed) }, user: nkeys.fromSeed(seed).getPublicKey() };
  } catch (cause) {
    throw new HawserError("usage", `${path} holds the seed of an NKey that has a mistake in it: ${describeThrown(cause)}`, { cause });
  }
}

/** Throws `usage`, also when other users may read it. */
export function readSecretFile(path: string, what: string): Buffer {
  const bytes = readFleetFile(path, what);
  if ((statSync(path).mode & 0o077) !== 0 && process.platform !== "win32")
    throw new HawserError("usage", `other users may read the ${what} in ${path}; run: chmod 600 ${path}`);
  return bytes;
}

/** Throws `usage`. */
export function readFleetFile(path: string, what: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new HawserError("usage", `can't read the fleet's ${what} from ${path}: ${describeThrown(cause)}`, { cause });
  }
}

const toSubjectName = (name: string | undefined): string | undefined =>
  name !== undefined && /^[A-Za-z0-9_-]{1,64}$/.test(name) ? name : undefined;

/** The user's public key. Undefined for what the server will refuse anyway. */
function readJwtSubject(text: string): string | undefined {
  const [, payload = ""] = /BEGIN NATS USER JWT-+\s+[\w-]+\.([\w-]+)\./.exec(text) ?? [];
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    return isRecord(claims) && typeof claims["sub"] === "string" ? claims["sub"] : undefined;
  } catch {
    return undefined;
  }
}
