// The way between one program and its server, which can be cut: nothing gets through either way, and neither end is told. It is healed with
// everything that has waited, or with the connections dropped.

import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface Relay {
  /** As `--fleet` takes it. */
  readonly address: string;
  cut(): void;
  heal(isDropped: boolean): void;
  close(): void;
}

/** To a server that may be away for a while: who connects meanwhile is refused, as by the server itself. */
export async function startRelay(server: string): Promise<Relay> {
  const { hostname, port } = new URL(server);
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  const join = ([near, far]: readonly [Socket, Socket]): void => void near.pipe(far).pipe(near);
  const drop = (pair: readonly [Socket, Socket]): void => pair.forEach((socket) => socket.destroy());

  const listener = createServer((near) => {
    const pair = [near, connect(Number(port), hostname)] as const;
    pairs.add(pair);
    for (const socket of pair) {
      socket.on("error", () => {});
      socket.once("close", () => {
        pairs.delete(pair);
        // What ends behind a cut is noticed only when that is healed.
        if (!isCut) drop(pair);
      });
    }
    if (!isCut) join(pair);
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  return {
    address: `nats://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      for (const [near, far] of pairs)
        for (const socket of [near, far]) {
          socket.unpipe();
          socket.pause();
        }
    },
    heal(isDropped) {
      isCut = false;
      for (const pair of pairs)
        if (isDropped || pair.some(({ destroyed }) => destroyed)) drop(pair);
        else join(pair);
    },
    close() {
      listener.close();
      for (const pair of pairs) drop(pair);
    },
  };
}
