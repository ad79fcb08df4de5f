// Connecting to a Unix socket or named pipe, with errors that name the path and the likely cause.

import fs from "node:fs";
import { connect, type Socket } from "node:net";
import { describeThrown, HawserError } from "@hawser/protocol";
import type { CancelSignal } from "../flow/cancel.ts";
import { wireLimits } from "../limits.ts";
import { isTrustedOwner } from "../files/temporary-folder.ts";
import { checkSocketPath } from "./names.ts";

export interface ConnectOptions {
  readonly signal?: CancelSignal | undefined;
}

export async function connectSocket(path: string, { signal }: ConnectOptions = {}): Promise<Socket> {
  checkSocketPath(path);
  checkOwner(path);
  const timeoutMs = wireLimits.connectTimeoutMs;
  const socket = connect({ path, allowHalfOpen: true });
  const outcome = Promise.withResolvers<void>();
  const timer = setTimeout(() => outcome.reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  const onAbort = (): void => outcome.reject(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  socket.once("connect", outcome.resolve).once("error", outcome.reject);
  try {
    await outcome.promise;
  } catch (cause) {
    socket.destroy();
    if (signal?.aborted) throw new HawserError("cancelled", "cancelled by the caller", { cause });
    const { code: errno } = cause as NodeJS.ErrnoException;
    throw new HawserError("connection_failed", describeFailure(path, cause), { cause, facts: { path, errno } });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
  try {
    // Once more: between the first look and the connection another user may have put a socket in the place of a removed one.
    checkOwner(path);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return socket;
}

// Where all users may make files, any of them can take the name of a program that has ended and answer in its place.
function checkOwner(path: string): void {
  const uid = [fs.lstatSync, fs.statSync].map((look) => ownerOf(path, look)).find((owner) => owner !== undefined && !isTrustedOwner(owner));
  if (uid === undefined) return;
  throw new HawserError("connection_failed", `can't connect to ${path}: it belongs to another user (${uid})`, { facts: { path, uid } });
}

/** Undefined where nothing can be seen; connecting says why. */
function ownerOf(path: string, look: typeof fs.statSync): number | undefined {
  try {
    return look(path, { throwIfNoEntry: false })?.uid;
  } catch {
    return undefined;
  }
}

function describeFailure(path: string, cause: unknown): string {
  switch ((cause as NodeJS.ErrnoException).code) {
    case "ENOENT":
    case "ECONNREFUSED":
      return `no program is listening at ${path}; is it running?`;
    case "EACCES":
      return `can't connect to ${path}: it belongs to another user`;
    case "EAGAIN":
      return `can't connect to ${path}: the program is too busy to accept connections; try again`;
    default:
      return `can't connect to ${path}: ${describeThrown(cause)}`;
  }
}

/** What a connect attempt tells about a socket file. Only `dead` proves that there is no listener. */
export type Liveness = "live" | "dead" | "unknown";

export function probeSocket(path: string): Promise<Liveness> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const timer = setTimeout(() => finish("unknown"), wireLimits.connectTimeoutMs);
    function finish(liveness: Liveness): void {
      clearTimeout(timer);
      socket.destroy();
      resolve(liveness);
    }
    socket.once("connect", () => finish("live"));
    socket.once("error", (error: NodeJS.ErrnoException) => finish(error.code === "ECONNREFUSED" ? "dead" : "unknown"));
  });
}
