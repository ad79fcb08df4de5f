// The parent that we play for a bridge: listens on its socket and answers each request as the
// scenario says. It watches what every scenario forbids: a second request on a connection before
// the first was answered, a frame that can't be read, a request that no answer is for.

import { chmodSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { lengthPrefix, SOCKET_PERMISSIONS } from "@hawser/wire/internal/node";
import { excerptOfText } from "./excerpt.ts";
import { fillIn, findMismatch } from "./pattern.ts";
import { cut, toBytes } from "./pieces.ts";
import type { Answer } from "./scenario.ts";

export interface ScriptedParent {
  facts(): { readonly connections: number; readonly open: number; readonly requests: readonly unknown[] };
  readonly faults: readonly string[];
  close(): Promise<void>;
}

interface Script {
  readonly answers: readonly Answer[];
  readonly requests: unknown[];
  readonly faults: string[];
}

const maxRequests = 10_000;
const chunkPauseMs = 3;

export async function listenScripted(path: string, answers: readonly Answer[]): Promise<ScriptedParent> {
  const script: Script = { answers, requests: [], faults: [] };
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    serveConnection(socket, script);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen({ path, exclusive: true }, resolve);
  });
  chmodSync(path, SOCKET_PERMISSIONS);
  return {
    facts: () => ({ connections, open: sockets.size, requests: [...script.requests] }),
    faults: script.faults,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function serveConnection(socket: Socket, script: Script): void {
  const decoder = lengthPrefix.createDecoder();
  let unanswered: string | undefined;

  function fault(words: string): void {
    script.faults.push(words);
    socket.destroy();
  }

  function receive(request: unknown, text: string): void {
    if (unanswered !== undefined) {
      return fault(
        `a second request on a connection before the first was answered: ${excerptOfText(text)} while ${excerptOfText(unanswered)} waits`,
      );
    }
    unanswered = text;
    const bindings = new Map<string, unknown>();
    const answer = script.answers.find(({ when }) => findMismatch(when, request, { bindings, index: 0, text }) === undefined);
    if (!answer || script.requests.length === maxRequests) return fault(`a request that nothing asked for: ${excerptOfText(text)}`);
    if (!answer.aside) script.requests.push(request);
    // Never at once: what came in the same moment as this request was sent before it was answered.
    setTimeout(() => void reply(answer, bindings), answer.afterMs ?? 0);
  }

  async function reply(answer: Answer, bindings: Map<string, unknown>): Promise<void> {
    const bytes = toAnswerBytes(answer, bindings);
    const chunks = [...cut(bytes, answer.chunkBytes ?? Math.max(bytes.length, 1))];
    for (const [position, chunk] of chunks.entries()) {
      if (position > 0) await sleep(chunkPauseMs);
      // From the last byte on the bridge may send its next request.
      if (position === chunks.length - 1) unanswered = undefined;
      if (socket.writable) socket.write(chunk);
    }
    if (answer.close) socket.destroySoon();
  }

  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    for (const item of decoder.push(chunk)) {
      if (item.kind === "message") receive(item.value, item.text);
      else fault(`a frame that can't be read (${item.error.message}): ${excerptOfText(item.head)}`);
    }
  });
}

function toAnswerBytes(answer: Answer, bindings: Map<string, unknown>): Buffer {
  if (answer.sendBytes !== undefined) return toBytes(answer.sendBytes);
  return answer.send === undefined ? Buffer.alloc(0) : lengthPrefix.encode(fillIn(answer.send, { bindings, index: 0 }));
}
