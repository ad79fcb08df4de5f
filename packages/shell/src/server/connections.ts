// Who may stay connected when there are too many. Every connection is a stranger's until a request on it has
// shown a credential. Strangers have a bounded number of places: a further one takes that of the oldest. So idle
// connections, half requests and the like, whoever holds them, neither touch a page that is in nor keep a new one
// out. What a stranger does counts for nothing: else one who asks without end would stay for ever.

import { readFileSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { limits } from "@hawser/wire";

export interface Connections {
  /** It has shown a credential. */
  trust(socket: Socket): void;
}

export function boundConnections(server: Server, maxStrangers = strangersHere()): Connections {
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
const strangersHere = (): number => Math.min(limits.shellStrangerEntries, Math.floor(maxOpenFiles() / 2));

/** Where the system says it. Without a descriptor, a connection would be closed before anybody could ask whose it is. */
function maxOpenFiles(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}
