// TLS to the fleet's servers: which files are used, and whether a server is the one that was named.

import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import type { TlsOptions } from "@nats-io/transport-node";
import { HawserError } from "@hawser/protocol";
import type { FleetAddress } from "./connect.ts";
import { readFleetFile, readSecretFile } from "./credentials.ts";

/** Undefined where neither the addresses nor the files ask for TLS. Throws `usage`. */
export function readTls({ ca, cert, key }: FleetAddress, servers: readonly string[]): TlsOptions | undefined {
  const hasFile = ca !== undefined || cert !== undefined || key !== undefined;
  if (!hasFile && !servers.some((server) => server.startsWith("tls:"))) return undefined;
  if ((cert === undefined) !== (key === undefined))
    throw new HawserError("usage", "a certificate and its key belong together; name both, with --fleet-cert and --fleet-key");
  // The library hands all of this to Node, more than its type says.
  const options = {
    checkServerIdentity: createIdentityCheck(servers),
    ...(ca !== undefined && { ca: readFleetFile(ca, "certificate authority").toString("utf8") }),
    ...(cert !== undefined && { cert: readFleetFile(cert, "certificate").toString("utf8") }),
    ...(key !== undefined && { key: readSecretFile(key, "key").toString("utf8") }),
  };
  return options;
}

/**
 * A server that was named by an IP address is connected to without a name, and Node would compare its certificate with `localhost`. Then
 * the certificate must be for one of the addresses that were named.
 */
function createIdentityCheck(servers: readonly string[]): typeof checkServerIdentity {
  const hosts = servers.map((server) => new URL(server).hostname.replaceAll(/[[\]]/g, ""));
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  return (name: string, certificate: PeerCertificate): Error | undefined => {
    if (name !== "localhost" || hosts.includes(name) || addresses.length === 0) return checkServerIdentity(name, certificate);
    const faults = addresses.map((address) => checkServerIdentity(address, certificate));
    return faults.includes(undefined) ? undefined : faults[0];
  };
}
