// What NATS says when something goes wrong, as our error: what happened, and what to do.

import { describeThrown, HawserError, type ErrorCode } from "@hawser/protocol";

const usualPort = "4222";

export function toFleetError(error: unknown, servers: string): HawserError {
  if (HawserError.isInstance(error)) return error;
  const { name, code: systemCode } = error as { name?: unknown; code?: unknown };
  const isOfCertificate = /CERT|SIGNATURE|ERR_SSL|ERR_TLS/.test(String(systemCode));
  const [code, message] = explain(isOfCertificate ? "certificate" : String(name), describeThrown(error), servers);
  return new HawserError(code, message, { cause: error });
}

function explain(name: string, told: string, servers: string): [ErrorCode, string] {
  switch (name) {
    case "AuthorizationError":
    case "UserAuthenticationExpiredError":
      return ["usage", `the server at ${servers} does not take these credentials (${told}); name others with --fleet-credentials`];
    case "PermissionViolationError":
      return ["usage", `the server at ${servers} does not allow it: ${told}. The account needs the permissions of its role`];
    case "certificate":
      return [
        "connection_failed",
        `no safe connection to ${servers}: ${told}. Name who signs its certificate with --fleet-ca, and ours with --fleet-cert and --fleet-key where it asks for one`,
      ];
    case "ClosedConnectionError":
    case "DrainingConnectionError":
      return ["closed", `the connection to ${servers} is closed`];
    default:
      return ["connection_failed", `can't reach a NATS server at ${servers}: ${told}. Start one with: hawser fleet up${portFor(servers)}`];
  }
}

/** So that the server that is started is found at this address. */
function portFor(servers: string): string {
  const url = URL.canParse(servers) ? new URL(servers) : undefined;
  const isHere = url !== undefined && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  return isHere && url.port !== "" && url.port !== usualPort ? ` --port ${url.port}` : "";
}
