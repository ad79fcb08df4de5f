// A certificate that nobody has signed but itself, made anew for each test: no key lies in the repository,
// and no other program is needed. It is written by hand as X.509 says, which Node has no function for.

import { createSign, generateKeyPairSync } from "node:crypto";

export interface SelfSigned {
  /** Both as PEM. */
  readonly key: string;
  readonly cert: string;
}

export interface SelfSignedOptions {
  /** What it is valid for: 127.0.0.1 unless given. */
  readonly address?: readonly [number, number, number, number];
  readonly notAfter?: Date;
}

const [integer, bitString, octetString, objectId, utcTime, utf8, sequence, set] = [0x02, 0x03, 0x04, 0x06, 0x17, 0x0c, 0x30, 0x31];
const ecdsaWithSha256 = wrap(objectId, Buffer.from("2a8648ce3d040302", "hex"));
const commonName = wrap(objectId, Buffer.from("550403", "hex"));
const basicConstraints = wrap(objectId, Buffer.from("551d13", "hex"));
const subjectAltName = wrap(objectId, Buffer.from("551d11", "hex"));

export function createSelfSigned({
  address = [127, 0, 0, 1],
  notAfter = new Date(Date.now() + 86_400_000),
}: SelfSignedOptions = {}): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = wrap(sequence, ecdsaWithSha256);
  const name = wrap(sequence, wrap(set, wrap(sequence, commonName, wrap(utf8, Buffer.from("hawser test")))));
  const isAuthority = wrap(sequence, basicConstraints, wrap(octetString, wrap(sequence, wrap(0x01, Buffer.from([0xff])))));
  const addresses = wrap(sequence, subjectAltName, wrap(octetString, wrap(sequence, wrap(0x87, Buffer.from(address)))));
  const content = wrap(
    sequence,
    wrap(0xa0, wrap(integer, Buffer.from([2]))),
    wrap(integer, Buffer.from([1])),
    algorithm,
    name,
    wrap(sequence, toTime(new Date(notAfter.getTime() - 2 * 86_400_000)), toTime(notAfter)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    wrap(0xa3, wrap(sequence, isAuthority, addresses)),
  );
  const signature = createSign("sha256").update(content).sign(privateKey);
  const whole = wrap(sequence, content, algorithm, wrap(bitString, Buffer.from([0]), signature));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
  };
}

/** One value of ASN.1: what it is, its length, its content. */
function wrap(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

function toTime(date: Date): Buffer {
  return wrap(utcTime, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, "").slice(2, 14)}Z`));
}
