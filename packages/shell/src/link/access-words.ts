// How a page shows its credential, in the words that both ends use. A browser sends none of it by itself.

/** The first subprotocol of the link, and the only one that the server names in its answer. */
export const linkProtocol = "hawser";

const credentialPrefix = "hawser.key.";

/** For a WebSocket, which can't carry headers of a page's choice. */
export const toSubprotocols = (credential: string): readonly string[] => [linkProtocol, credentialPrefix + credential];

/** The credential; undefined unless there are exactly the two subprotocols of a page. */
export function readSubprotocols(header: string | undefined): string | undefined {
  const [protocol, secret, ...others] = (header ?? "").split(",").map((name) => name.trim());
  if (protocol !== linkProtocol || !secret?.startsWith(credentialPrefix) || others.length > 0) return undefined;
  return secret.slice(credentialPrefix.length);
}

/** Names one try of a page to exchange its key, so that it can be repeated when no answer came. */
export const attemptHeader = "x-hawser-attempt";

/** With which the server closes the link of a page whose access was withdrawn. */
export const withdrawnCode = 4001;
