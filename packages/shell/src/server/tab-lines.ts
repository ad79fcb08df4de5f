// What a tab sends: one line after the other, each taken before the next is read. What all tabs hold together is bounded, since a
// message may stay unfinished for long: beyond it they are read one after the other.

import type { Duplex } from "node:stream";
import type { ByteBudget } from "@hawser/wire/internal";
import type { WebSocket } from "ws";
import { shellLimits } from "../limits.ts";
import { decodeLine } from "../link/page-frames.ts";

export interface TabLinesOptions {
  readonly room: ByteBudget;
  /** Resolves when the next one may be read. Must not reject. */
  take(line: string, isPrivate: boolean): Promise<unknown>;
}

export interface TabLines {
  /** Whether it could have gone on with an unfinished message since this was asked last, and has not; or not by enough, while others wait for it. */
  isStalled(): boolean;
}

const policyViolation = 1008;

/** A frame of control with its mask, besides what it carries. */
const controlHeadBytes = 6;

export function readTabLines(tab: WebSocket, socket: Duplex, { room, take }: TabLinesOptions): TabLines {
  const share = room.openShare(goOn);
  let unfinishedBytes = 0;
  let takenBytes = 0;
  let waiting = 0;
  let stalledAt = 0;

  function weigh(): void {
    share.set(unfinishedBytes + takenBytes);
    goOn();
  }

  /** What comes while it is paused waits in the socket; one chunk of it may already be in hand. */
  function goOn(): void {
    if (waiting === 0 && share.mayGrow()) return tab.resume();
    stalledAt = 0;
    tab.pause();
  }

  tab.on("message", (data: Buffer, isBinary) => {
    unfinishedBytes = 0;
    const { line, isPrivate } = decodeLine(data.toString("utf8"));
    if (isBinary || line.includes("\n")) return tab.close(policyViolation, "one line of text per message");
    const { length } = data;
    waiting++;
    takenBytes += length;
    weigh();
    void take(line, isPrivate).finally(() => {
      waiting--;
      takenBytes -= length;
      weigh();
    });
  });
  // They may stand between the pieces of a message, and are not kept.
  for (const control of ["ping", "pong"] as const)
    tab.on(control, (data: Buffer) => void (unfinishedBytes = Math.max(0, unfinishedBytes - data.length - controlHeadBytes)));
  // Counted before messages are found in it, and weighed once they are.
  socket.prependListener("data", (chunk: Buffer) => void (unfinishedBytes += chunk.length));
  socket.on("data", weigh);
  tab.on("close", () => {
    unfinishedBytes = 0;
    weigh();
  });

  return {
    isStalled() {
      const leastBytes = room.isFull ? shellLimits.shellGoOnBytes : 1;
      const isStalled = stalledAt > 0 && unfinishedBytes > 0 && unfinishedBytes - stalledAt < leastBytes;
      stalledAt = tab.isPaused ? 0 : unfinishedBytes;
      return isStalled;
    },
  };
}
