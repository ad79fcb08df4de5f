// How long the opening of a connection took, step by step, for those who ask where the time of a call went.

import type { Socket } from "node:net";

export interface ConnectTimes {
  readonly dnsMs?: number | undefined;
  readonly connectMs?: number | undefined;
  readonly tlsHandshakeMs?: number | undefined;
}

/** Notes when the name was resolved, the connection made and the handshake done. `tunnelMs`: how long the way through a proxy took before. */
export function watchOpening(connect: () => Socket, tunnelMs?: number): { readonly socket: Socket; times(): ConnectTimes } {
  const startedAt = performance.now();
  let resolvedAt: number | undefined;
  let connectedAt: number | undefined;
  const socket = connect();
  socket.once("lookup", () => (resolvedAt = performance.now()));
  socket.once("connect", () => (connectedAt = performance.now()));
  function times(): ConnectTimes {
    const now = performance.now();
    // Through a proxy only that is connected to, and the handshake is all that is left to do.
    if (tunnelMs !== undefined) return { connectMs: tunnelMs, tlsHandshakeMs: now - startedAt };
    const isEncrypted = "encrypted" in socket;
    return {
      ...(resolvedAt !== undefined && { dnsMs: resolvedAt - startedAt }),
      connectMs: (connectedAt ?? now) - (resolvedAt ?? startedAt),
      ...(isEncrypted && connectedAt !== undefined && { tlsHandshakeMs: now - connectedAt }),
    };
  }
  return { socket, times };
}
