// Which connections stay when there are too many. A connection is a stranger until a request on it has shown a
// credential. The number of strangers is bounded: a further one closes the oldest, busy or not, so that neither idle
// connections nor a flood of requests can keep a page out.

import { readFileSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { shellLimits } from "../limits.ts";

/** `trust`: this connection has shown a credential. */
export function boundConnections(server: Server, maxStrangers = strangersHere()): { trust(socket: Socket): void } {
  // The oldest stands first.
  const strangers = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    strangers.add(socket);
    socket.once("close", () => strangers.delete(socket));
    const [oldest] = strangers;
    if (strangers.size <= maxStrangers || !oldest) return;
    strangers.delete(oldest);
    oldest.destroy();
  });
  return { trust: (socket) => void strangers.delete(socket) };
}

/** What is not left to strangers is for pages, their files, and the runtime. */
const strangersHere = (): number => Math.min(shellLimits.shellStrangerEntries, Math.floor(maxOpenFiles() / 2));

/** Where the system says it. Without a free descriptor, a connection would be closed before its credential could be read. */
function maxOpenFiles(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}
