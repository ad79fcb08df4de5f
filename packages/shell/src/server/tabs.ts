// The tabs that are connected. Every line of the runtime goes to all of them; what one sends goes to the
// runtime, and to the others so that they can show it, unless it is private. The runtime waits for a tab that reads slowly; one that
// does not read, or does not answer a ping, is closed: it finds everything again when it comes back.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ProcessLink } from "@hawser/agent/host";
import { describeThrown, HawserError, toHawserError } from "@hawser/protocol/internal";
import { shellLimits } from "../limits.ts";
import { wireLimits } from "@hawser/wire";
import { WebSocketServer, type ServerOptions, type WebSocket } from "ws";
import {
  linkProtocol,
  withdrawnCode,
  decodeLine,
  encodeFrame,
  type PageFrame,
  type RuntimeFacts,
  type RuntimeState,
} from "../link/page-frames.ts";
import type { Grant } from "./credentials.ts";

/** A connection whose right to be here was checked. */
export interface NewTab {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly grant: Pick<Grant, "join">;
}

export interface Tabs {
  connect(tab: NewTab): void;
  /**
   * A line of the runtime, or how it is; the last of both is told to tabs that come later. Undefined when all
   * tabs can take more, else it resolves when they can.
   */
  tell(frame: PageFrame): Promise<unknown> | undefined;
  close(): void;
}

export interface TabsOptions {
  /** Rejects when the runtime can't take it. */
  send(line: string): Promise<void>;
  readonly facts?: RuntimeFacts | undefined;
  readonly pingMs?: number;
  readonly slowMs?: number;
}

// The published types do not know `closeTimeout` yet.
const serverOptions: ServerOptions & { readonly closeTimeout: number } = {
  noServer: true,
  maxPayload: wireLimits.maxMessageBytes,
  perMessageDeflate: false,
  // The other subprotocol is the credential, which is not said again.
  handleProtocols: () => linkProtocol,
  // Pages send no pings; answering a flood of them would fill memory for a peer that does not read.
  autoPong: false,
  closeTimeout: shellLimits.shellCloseMs,
};

const policyViolation = 1008;
const tryAgainLater = 1013;
const goingAway = 1001;

export function createTabs({ send, facts = {}, pingMs = shellLimits.shellPingMs, slowMs = shellLimits.shellSlowMs }: TabsOptions): Tabs {
  const server = new WebSocketServer(serverOptions);
  const tabs = new Map<WebSocket, Duplex>();
  const unanswered = new WeakSet<WebSocket>();
  let state: RuntimeState = { runtime: "starting", ...facts };
  let readyLine: string | undefined;

  function put(tab: WebSocket, text: string): void {
    if (tab.bufferedAmount > wireLimits.maxUnsentBytes) return giveUp(tab);
    tab.send(text);
  }

  /** Its close waits behind what it does not read, and is not waited for. */
  const giveUp = (tab: WebSocket): void => tab.close(tryAgainLater, "too much is unread");

  function whenRead(tab: WebSocket, socket: Duplex): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => (giveUp(tab), settle()), slowMs);
      function settle(): void {
        clearTimeout(timer);
        socket.off("drain", settle).off("close", settle);
        resolve();
      }
      socket.on("drain", settle).on("close", settle);
    });
  }

  /** What comes meanwhile waits in the socket; one chunk of it may already be in hand. */
  function listen(tab: WebSocket): void {
    let waiting = 0;
    tab.on("message", (data: Buffer, isBinary) => {
      const { line, isPrivate } = decodeLine(data.toString("utf8"));
      if (isBinary || line.includes("\n")) return tab.close(policyViolation, "one line of text per message");
      for (const other of isPrivate ? [] : tabs.keys()) if (other !== tab) put(other, encodeFrame({ kind: "request", line }));
      waiting++;
      tab.pause();
      void send(line)
        .catch(() => put(tab, encodeFrame({ kind: "state", state })))
        .finally(() => (--waiting === 0 ? tab.resume() : undefined));
    });
  }

  /** Nothing more is taken from it, and nothing more is told to it. */
  function expel(tab: WebSocket): void {
    tabs.delete(tab);
    tab.removeAllListeners("message");
    tab.close(withdrawnCode, "its access was withdrawn");
  }

  function welcome(tab: WebSocket, { socket, grant }: NewTab): void {
    tab.on("error", () => tab.terminate());
    if (tabs.size >= shellLimits.shellConnections) return tab.close(tryAgainLater, `${tabs.size} tabs are open already; close one of them`);
    tabs.set(tab, socket);
    const leave = grant.join(() => expel(tab));
    tab.on("close", () => (leave(), tabs.delete(tab)));
    tab.on("pong", () => unanswered.delete(tab));
    listen(tab);
    put(tab, encodeFrame({ kind: "state", state }));
    if (readyLine !== undefined) put(tab, encodeFrame({ kind: "response", line: readyLine }));
  }

  const pulse = setInterval(() => {
    for (const tab of tabs.keys()) {
      // A paused one may have answered; its pong has not been read yet.
      if (unanswered.has(tab) && !tab.isPaused) tab.terminate();
      else tab.ping();
      unanswered.add(tab);
    }
  }, pingMs).unref();

  return {
    connect: (tab) => server.handleUpgrade(tab.request, tab.socket, tab.head, (socket) => welcome(socket, tab)),
    tell(frame) {
      if (frame.kind === "state") state = { ...frame.state, ...facts };
      // The first line of a runtime is its greeting; with the runtime goes its greeting.
      if (frame.kind === "state" && frame.state.runtime !== "running") readyLine = undefined;
      if (frame.kind === "response") readyLine ??= frame.line;
      const text = encodeFrame(frame.kind === "state" ? { kind: "state", state } : frame);
      for (const tab of tabs.keys()) put(tab, text);
      const slow = [...tabs].filter(([tab]) => tab.readyState === tab.OPEN && tab.bufferedAmount > shellLimits.shellUnreadBytes);
      return slow.length === 0 ? undefined : Promise.all(slow.map(([tab, socket]) => whenRead(tab, socket)));
    },
    close() {
      clearInterval(pulse);
      for (const tab of tabs.keys()) tab.close(goingAway, "the shell has ended");
      server.close();
    },
  };
}

/** The runtime's lines to all tabs, without a look into them, until it has ended for good; resolves to why. */
export async function relay(incoming: ProcessLink["incoming"], tabs: Pick<Tabs, "tell">): Promise<HawserError> {
  let isRunning = false;
  try {
    for await (const item of incoming) {
      if (typeof item === "object" && "lost" in item) {
        isRunning = false;
        void tabs.tell({ kind: "state", state: { runtime: "restarting", message: item.lost.message } });
        continue;
      }
      if (!isRunning) void tabs.tell({ kind: "state", state: { runtime: "running" } });
      isRunning = true;
      const room = tabs.tell({ kind: "response", line: typeof item === "string" ? item : item.text });
      if (room) await room;
    }
    throw new HawserError("closed", "the agent has ended");
  } catch (error) {
    void tabs.tell({ kind: "state", state: { runtime: "failed", message: describeThrown(error) } });
    return toHawserError(error);
  }
}
