// Credentials of NATS as `nsc` makes them, for tests: an operator, an account and a user, each a signed JSON Web Token.

import { createHash, randomUUID } from "node:crypto";
import { nkeys } from "@nats-io/transport-node";

type KeyPair = ReturnType<typeof nkeys.createUser>;

const toBase64 = (value: object | Uint8Array): string =>
  Buffer.from(value instanceof Uint8Array ? value : JSON.stringify(value)).toString("base64url");

/** Base32 without padding, as the id of a token is written. */
function toBase32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[parseInt(five.padEnd(5, "0"), 2)]).join("");
}

function sign(subject: KeyPair, issuer: KeyPair, name: string, nats: object): string {
  const claims = { jti: "", iat: Math.floor(Date.now() / 1_000), iss: issuer.getPublicKey(), sub: subject.getPublicKey(), name, nats };
  claims.jti = toBase32(createHash("sha256").update(JSON.stringify(claims)).update(randomUUID()).digest());
  const signed = `${toBase64({ typ: "JWT", alg: "ed25519-nkey" })}.${toBase64(claims)}`;
  return `${signed}.${toBase64(issuer.sign(Buffer.from(signed)))}`;
}

/** Lines of a server's configuration, and a `.creds` file of a user of its one account. */
export function createOperatorAccounts(): { readonly configuration: string; readonly credentials: string; readonly user: string } {
  const [operator, system, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createAccount(), nkeys.createUser()];
  const unlimited = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const operatorToken = sign(operator, operator, "hawser", { type: "operator", version: 2, system_account: system.getPublicKey() });
  const anAccount = { type: "account", version: 2, limits: unlimited, default_permissions: { pub: {}, sub: {} } };
  const tokens = [system, account].map((pair) => `${pair.getPublicKey()}: "${sign(pair, operator, "plant", anAccount)}"`);
  const inbox = `_INBOX.${user.getPublicKey()}.>`;
  const allowed = { pub: {}, sub: { allow: ["hawser.>", "$SRV.>", inbox] }, subs: -1, data: -1, payload: -1, type: "user", version: 2 };
  const userToken = sign(user, account, "tools", allowed);
  return {
    configuration: [`operator: "${operatorToken}"`, "resolver: MEMORY", `resolver_preload: { ${tokens.join(", ")} }`].join("\n"),
    credentials: [
      "-----BEGIN NATS USER JWT-----",
      userToken,
      "------END NATS USER JWT------",
      "",
      "-----BEGIN USER NKEY SEED-----",
      Buffer.from(user.getSeed()).toString("ascii"),
      "------END USER NKEY SEED------",
      "",
    ].join("\n"),
    user: user.getPublicKey(),
  };
}
