// A small host for the tests: sends lines, collects every answer with its text, waits for as many as
// a test expects.

import { createMemoryPair, JsonText, type Transport } from "@hawser/wire/internal";
import type { CallData } from "@hawser/protocol";
import { createLifecycle, type LifecycleControl } from "@hawser/wire/internal/node";
import { onTestFinished } from "vitest";
import type { CallCore } from "../../src/call.ts";
import { serveRpc, type ServeRpcOptions } from "../../src/rpc/serve-rpc.ts";

/** The members that tests look at one by one; whatever else there is, they compare as a whole. */
export interface AnswerData extends CallData {
  readonly line?: number;
  readonly count?: number;
  readonly protocolSemver?: string;
  readonly minHostSemver?: string;
  readonly features?: object;
  readonly ops?: readonly string[];
}

export interface Answer {
  readonly id?: unknown;
  readonly ok: boolean;
  readonly code: number;
  readonly status?: number;
  readonly error?: string;
  readonly data: AnswerData;
}

export interface RpcClient {
  readonly answers: readonly Answer[];
  readonly texts: readonly string[];
  send(...requests: unknown[]): Promise<void>;
  /** Sends JSON text as it is. */
  sendText(...texts: string[]): Promise<void>;
  /** Waits for so many answers in all, and returns them. */
  count(count: number): Promise<Answer[]>;
  of(id: unknown): Answer[];
  /** Resolves when the server will say no more. */
  readonly ended: Promise<void>;
}

function createRpcClient(transport: Transport): RpcClient {
  const answers: Answer[] = [];
  const texts: string[] = [];
  let wake: (() => void) | undefined;
  const ended = (async () => {
    for await (const item of transport.incoming) {
      if (item.kind === "refused") throw item.error;
      answers.push(item.value as Answer);
      texts.push(item.text);
      wake?.();
    }
  })();
  return {
    answers,
    texts,
    ended,
    async send(...requests) {
      for (const request of requests) await transport.send(request);
    },
    async sendText(...lines) {
      for (const line of lines) await transport.send(new JsonText(line));
    },
    async count(count) {
      while (answers.length < count) await new Promise<void>((resolve) => (wake = resolve));
      return answers.slice(0, count);
    },
    of: (id) => answers.filter((answer) => answer.id === id),
  };
}

export interface Served {
  readonly client: RpcClient;
  readonly host: Transport;
  readonly server: Transport;
  readonly lifecycle: LifecycleControl;
  /** Resolves when `serveRpc` has returned and its transport is closed. */
  readonly served: Promise<void>;
}

/** A server and its host in one process, over memory. */
export function serve(core: CallCore, options: Partial<ServeRpcOptions> = {}): Served {
  const [host, server] = createMemoryPair();
  const lifecycle = createLifecycle();
  const served = serveRpc(server, core, { version: "1.2.3", lifecycle, ...options }).then(() => server.close());
  onTestFinished(() => {
    lifecycle.dispose();
    return host.close();
  });
  return { client: createRpcClient(host), host, server, lifecycle, served };
}
