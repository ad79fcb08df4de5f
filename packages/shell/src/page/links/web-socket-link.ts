// The link over the local server's WebSocket. A lost connection is made again, at once and then with growing pauses; the
// client is told that what it asked is lost, and the page loads what it missed. A browser does not say why a connection
// was refused, so before each new one the server is asked whether the page still has access.

import type { LostRuntime, ParsedLine } from "@hawser/agent/host/link";
import { HawserError, privateKinds } from "@hawser/protocol/internal";
import { createMailbox } from "@hawser/wire/internal";
import type { PageAccess } from "../access/enter-page.ts";
import { decodeFrame, encodeLine, isGone, type RuntimeState } from "../../link/page-frames.ts";
import type { LinkState } from "../state/page-state.ts";
import { parseLine, type PageLink, type PageLinkEvents } from "./page-link.ts";

export interface WebSocketLinkOptions extends PageLinkEvents {
  readonly url: string;
  readonly access: Pick<PageAccess, "subprotocols" | "isStillGood">;
  /** The first pause; each one is twice as long as the one before. */
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
}

export function createWebSocketLink(options: WebSocketLinkOptions): PageLink {
  const { url, access, firstPauseMs = 250, longestPauseMs = 8_000, onOverheard, onState } = options;
  const incoming = createMailbox<ParsedLine | LostRuntime>();
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let openedAt = Infinity;
  let isClosed = false;
  let isAsking = false;
  let runtime: RuntimeState = { runtime: "starting" };

  const tell = (state: Omit<LinkState, "runtime">): void => onState({ ...runtime, message: undefined, ...state });

  function lose(message: string): void {
    incoming.put([{ lost: new HawserError("connection_lost", message) }]);
  }

  function connect(): void {
    if (isClosed) return;
    tell({ phase: "connecting" });
    const opened = new WebSocket(url, [...access.subprotocols()]);
    socket = opened;
    opened.addEventListener("open", () => (openedAt = performance.now()));
    opened.addEventListener("message", (event: MessageEvent<unknown>) => {
      if (opened === socket && typeof event.data === "string") receive(event.data);
    });
    // An error is always followed by the close.
    opened.addEventListener("close", ({ reason }) => {
      if (opened === socket) waitAndConnect(reason);
    });
  }

  function waitAndConnect(reason: string): void {
    socket = undefined;
    // Otherwise a connection that is closed as soon as it is open would be made again and again without a pause.
    if (performance.now() - openedAt > longestPauseMs) failures = 0;
    openedAt = Infinity;
    lose("the connection to the shell was lost");
    if (isClosed) return;
    const retryInMs = Math.min(firstPauseMs * 2 ** failures, longestPauseMs);
    failures++;
    tell({ phase: "closed", retryInMs, message: reason || undefined });
    timer = setTimeout(connectAgain, retryInMs);
  }

  function connectAgain(): void {
    clearTimeout(timer);
    if (isClosed || socket || isAsking) return;
    isAsking = true;
    void access.isStillGood().then((isGood) => {
      isAsking = false;
      if (isGood) connect();
      else end("This page has no access any more: press Enter in the terminal for a new address, and open it.");
    });
  }

  function end(message?: string): void {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(timer);
    const open = socket;
    socket = undefined;
    open?.close();
    incoming.end();
    tell({ phase: "ended", message });
  }

  function receive(text: string): void {
    const frame = decodeFrame(text);
    if (!frame) return;
    if (frame.kind === "state") return takeState(frame.state);
    const line = parseLine(frame.line);
    if (frame.kind === "response") incoming.put([line]);
    else onOverheard(line);
  }

  function takeState(state: RuntimeState): void {
    if (isGone(state)) lose(state.message ?? "the agent has ended");
    runtime = state;
    tell({ phase: "open", message: state.message });
  }

  connect();
  return {
    incoming: incoming.items,
    send(line, kind) {
      if (socket?.readyState !== WebSocket.OPEN)
        throw new HawserError("connection_lost", "the shell is not connected; the page is reconnecting");
      socket.send(encodeLine(line, kind !== undefined && privateKinds.includes(kind)));
    },
    retry: connectAgain,
    close: () => end(),
  };
}
