// The tabs that are connected. Every line of the runtime goes to all of them; what one sends goes to the
// runtime, and to the others so that they can show it, unless it is private. All wait for a tab that reads slowly; one that does
// not read, does not answer a ping, or stops in the middle of a message is closed: it finds everything again when it comes back.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ProcessLink } from "@hawser/agent/host";
import { describeThrown, HawserError, toHawserError } from "@hawser/protocol/internal";
import { shellLimits } from "../limits.ts";
import { wireLimits } from "@hawser/wire";
import { createByteBudget } from "@hawser/wire/internal";
import { WebSocketServer, type ServerOptions, type WebSocket } from "ws";
import { linkProtocol, withdrawnCode, encodeFrame, type PageFrame, type RuntimeFacts, type RuntimeState } from "../link/page-frames.ts";
import type { Grant } from "./credentials.ts";
import { readTabLines, type TabLines } from "./tab-lines.ts";

/** A connection whose right to be here was checked. */
export interface NewTab {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly grant: Pick<Grant, "join">;
}

interface OpenTab {
  readonly socket: Duplex;
  readonly lines: TabLines;
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

const tryAgainLater = 1013;
const goingAway = 1001;

export function createTabs({ send, facts = {}, pingMs = shellLimits.shellPingMs, slowMs = shellLimits.shellSlowMs }: TabsOptions): Tabs {
  const server = new WebSocketServer(serverOptions);
  const tabs = new Map<WebSocket, OpenTab>();
  const unanswered = new WeakSet<WebSocket>();
  const slowTabs = new Map<WebSocket, Promise<void>>();
  const room = createByteBudget(shellLimits.shellHeldBytes);
  let state: RuntimeState = { runtime: "starting", ...facts };
  let readyLine: string | undefined;

  function put(tab: WebSocket, frame: PageFrame | Buffer): void {
    if (tab.bufferedAmount > wireLimits.maxUnsentBytes) return giveUp(tab);
    tab.send(Buffer.isBuffer(frame) ? frame : encodeFrame(frame), { binary: false });
  }

  /** Undefined when all tabs can take more, else it resolves when they can. What waits for them is the same bytes for all. */
  function putToAll(frame: PageFrame, except?: WebSocket): Promise<unknown> | undefined {
    const bytes = Buffer.from(encodeFrame(frame));
    const others = [...tabs].filter(([tab]) => tab !== except);
    for (const [tab] of others) put(tab, bytes);
    const slow = others.filter(([tab]) => tab.readyState === tab.OPEN && tab.bufferedAmount > shellLimits.shellUnreadBytes);
    return slow.length === 0 ? undefined : Promise.all(slow.map(([tab, { socket }]) => whenRead(tab, socket)));
  }

  /** Its close waits behind what it does not read, and is not waited for. */
  const giveUp = (tab: WebSocket): void => tab.close(tryAgainLater, "too much is unread");

  /** However many wait for it. */
  function whenRead(tab: WebSocket, socket: Duplex): Promise<void> {
    const reading = slowTabs.get(tab) ?? untilRead(tab, socket).finally(() => slowTabs.delete(tab));
    slowTabs.set(tab, reading);
    return reading;
  }

  function untilRead(tab: WebSocket, socket: Duplex): Promise<void> {
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

  function take(tab: WebSocket, line: string, isPrivate: boolean): Promise<unknown> {
    const told = isPrivate ? undefined : putToAll({ kind: "request", line }, tab);
    return Promise.all([send(line).catch(() => put(tab, { kind: "state", state })), told]);
  }

  /** Nothing more is taken from it, and nothing more is told to it. */
  function expel(tab: WebSocket): void {
    tabs.delete(tab);
    tab.removeAllListeners("message");
    tab.close(withdrawnCode, "its access was withdrawn");
  }

  /** What it sends is not read: nobody counts it. */
  function turnAway(tab: WebSocket): void {
    tab.close(tryAgainLater, `${tabs.size} tabs are open already; close one of them`);
    tab.pause();
  }

  function welcome(tab: WebSocket, { socket, grant }: NewTab): void {
    tab.on("error", () => tab.terminate());
    if (tabs.size >= shellLimits.shellConnections) return turnAway(tab);
    const lines = readTabLines(tab, socket, { room, take: (line, isPrivate) => take(tab, line, isPrivate) });
    tabs.set(tab, { socket, lines });
    const leave = grant.join(() => expel(tab));
    tab.on("close", () => (leave(), tabs.delete(tab)));
    tab.on("pong", () => unanswered.delete(tab));
    put(tab, { kind: "state", state });
    if (readyLine !== undefined) put(tab, { kind: "response", line: readyLine });
  }

  function look(): void {
    for (const [tab, { lines }] of tabs) {
      // A paused one may have answered; its pong has not been read yet.
      if (lines.isStalled() || (unanswered.has(tab) && !tab.isPaused)) tab.terminate();
      else tab.ping();
      unanswered.add(tab);
    }
  }
  // Timers run before input is read: a pong that came while this process itself stood still is let in first.
  const pulse = setInterval(() => setImmediate(look), pingMs).unref();

  return {
    connect: (tab) => server.handleUpgrade(tab.request, tab.socket, tab.head, (socket) => welcome(socket, tab)),
    tell(frame) {
      if (frame.kind === "state") state = { ...frame.state, ...facts };
      // The first line of a runtime is its greeting; with the runtime goes its greeting.
      if (frame.kind === "state" && frame.state.runtime !== "running") readyLine = undefined;
      if (frame.kind === "response") readyLine ??= frame.line;
      return putToAll(frame.kind === "state" ? { kind: "state", state } : frame);
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
