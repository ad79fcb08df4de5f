// The tabs that are connected. Every line of the runtime goes to all of them; what one sends goes to the
// runtime, and to the others so that they can show it. A tab that does not read is closed, not waited for:
// it finds everything again when it comes back.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { limits } from "@hawser/wire";
import { WebSocketServer, type WebSocket } from "ws";
import { encodeFrame, type PageFrame, type RuntimeState } from "../link/page-frames.ts";

export interface Tabs {
  /** Takes a connection whose right to be here was checked. */
  connect(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** A line of the runtime, or how it is. The last of both is told to tabs that come later. */
  tell(frame: PageFrame): void;
  close(): void;
}

export interface TabsOptions {
  /** Rejects when the runtime can't take it. */
  send(line: string): Promise<void>;
}

const policyViolation = 1008;
const tryAgainLater = 1013;
const goingAway = 1001;

export function createTabs({ send }: TabsOptions): Tabs {
  const server = new WebSocketServer({ noServer: true, maxPayload: limits.maxMessageBytes, perMessageDeflate: false });
  const tabs = new Set<WebSocket>();
  let state: RuntimeState = { runtime: "starting" };
  let readyLine: string | undefined;

  function put(tab: WebSocket, text: string): void {
    if (tab.bufferedAmount > limits.maxUnsentBytes) return tab.close(tryAgainLater, "too much is unread");
    tab.send(text);
  }

  async function forward(tab: WebSocket, line: string): Promise<void> {
    for (const other of tabs) if (other !== tab) put(other, encodeFrame({ kind: "request", line }));
    // What comes meanwhile waits in the socket.
    tab.pause();
    await send(line).catch(() => put(tab, encodeFrame({ kind: "state", state })));
    tab.resume();
  }

  function welcome(tab: WebSocket): void {
    tabs.add(tab);
    tab.on("close", () => tabs.delete(tab));
    tab.on("error", () => tab.terminate());
    tab.on("message", (data: Buffer, isBinary) => {
      const line = data.toString("utf8");
      if (isBinary || line.includes("\n")) return tab.close(policyViolation, "one line of text per message");
      void forward(tab, line);
    });
    put(tab, encodeFrame({ kind: "state", state }));
    if (readyLine !== undefined) put(tab, encodeFrame({ kind: "response", line: readyLine }));
  }

  const pulse = setInterval(() => {
    for (const tab of tabs) tab.ping();
  }, limits.shellPingMs).unref();

  return {
    connect(request, socket, head) {
      if (tabs.size < limits.shellConnections) server.handleUpgrade(request, socket, head, welcome);
      else socket.end("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n");
    },
    tell(frame) {
      if (frame.kind === "state") state = frame.state;
      // The first line of a runtime is its greeting; with the runtime goes its greeting.
      if (frame.kind === "state" && frame.state.runtime !== "running") readyLine = undefined;
      if (frame.kind === "response") readyLine ??= frame.line;
      const text = encodeFrame(frame);
      for (const tab of tabs) put(tab, text);
    },
    close() {
      clearInterval(pulse);
      for (const tab of tabs) tab.close(goingAway, "the shell has ended");
      server.close();
    },
  };
}
