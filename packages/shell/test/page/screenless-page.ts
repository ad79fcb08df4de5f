// The page without a screen, as a program: its link, client, state and store are the real ones. It is given an address
// that `hawser shell` has printed, sends each line of its input as a message, and prints every answer when it is complete.

import { createInterface } from "node:readline";
import { attemptHeader, toSubprotocols } from "../../src/link/page-frames.ts";
import { createWebSocketLink } from "../../src/page/links/web-socket-link.ts";
import { createActions, textOf } from "../../src/page/session/actions.ts";
import { createSession } from "../../src/page/session/session.ts";
import { isConnected } from "../../src/page/state/page-state.ts";

const { host, hash, origin } = new URL(process.argv[2] ?? "");
const key = hash.replace("#key=", "");
const entered = await fetch(`${origin}/credentials`, {
  method: "POST",
  headers: { authorization: `Bearer ${key}`, [attemptHeader]: "1", origin },
});
const { credential } = (await entered.json()) as { credential: string };

// A browser says where its page comes from; Node's WebSocket has to be told.
globalThis.WebSocket = class extends WebSocket {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, { protocols, headers: { origin } } as unknown as string[]);
  }
};

const session = createSession({
  openLink: (events) =>
    createWebSocketLink({
      url: `ws://${host}/link`,
      access: { subprotocols: () => toSubprotocols(credential), isStillGood: () => Promise.resolve(true) },
      ...events,
    }),
  schedule: (flush) => void setTimeout(flush, 1),
  now: Date.now,
});
const conversationId = session.open();
const actions = createActions(session);
let answers = 0;

const { promise: connected, resolve: onConnected } = Promise.withResolvers<void>();
session.store.subscribe(() => {
  if (session.store.getState().runtime && isConnected(session.store.getState())) onConnected();
  const messages = session.store.getState().threads[conversationId]?.messages ?? [];
  const complete = messages.filter(({ role, state }) => role === "assistant" && state !== "running");
  for (const message of complete.slice(answers)) process.stdout.write(`${JSON.stringify(textOf(message))}\n`);
  answers = complete.length;
});

await connected;
for await (const line of createInterface({ input: process.stdin })) await actions.send(line, []);
await session.close();
