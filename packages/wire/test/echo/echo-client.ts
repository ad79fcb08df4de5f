// A small client for the tests of the echo protocol: sends requests, collects every answer, and
// knows which answers end a request.

import { JsonText } from "../../src/codec/json-text.ts";
import type { EchoResponse } from "@hawser/protocol";
import type { Transport } from "../../src/transport/transport.ts";

export interface Answer {
  readonly value: EchoResponse;
  readonly text: string;
}

export interface EchoClient {
  readonly answers: readonly Answer[];
  send(...requests: unknown[]): Promise<void>;
  /** Sends JSON text as it is. */
  sendText(text: string): Promise<void>;
  /** Waits for so many ends of requests in all, and returns them. */
  ends(count: number): Promise<EchoResponse[]>;
  /** The answers whose id is this value. */
  of(id: unknown): EchoResponse[];
  /** Resolves when the server will say no more. */
  readonly ended: Promise<void>;
}

const isEnd = ({ type }: EchoResponse): boolean => type !== "piece";

export function createEchoClient(transport: Transport): EchoClient {
  const answers: Answer[] = [];
  const ends: EchoResponse[] = [];
  let wake: (() => void) | undefined;
  const ended = (async () => {
    for await (const item of transport.incoming) {
      if (item.kind === "refused") throw item.error;
      const value = item.value as EchoResponse;
      answers.push({ value, text: item.text });
      if (isEnd(value)) ends.push(value);
      wake?.();
    }
  })();
  return {
    answers,
    ended,
    async send(...requests) {
      for (const request of requests) await transport.send(request);
    },
    sendText: (text) => transport.send(new JsonText(text)),
    async ends(count) {
      while (ends.length < count) await new Promise<void>((resolve) => (wake = resolve));
      return ends.slice(0, count);
    },
    of: (id) => answers.filter(({ value }) => value.id === id).map(({ value }) => value),
  };
}
