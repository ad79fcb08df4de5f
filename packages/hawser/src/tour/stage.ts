// Where the tour plays: it prints titles, facts and what they prove, starts the children and ends
// them. A claim is printed as proved only if it held; one that did not makes the tour fail.

import { HawserError, toHawserError, type EchoRequest, type EchoResponse, type ErrorCode } from "@hawser/protocol";
import { createPendingTable, type Transport } from "@hawser/wire";
import { ndjson, startChild, type Child, type Codec } from "@hawser/wire/node";
import { fitLine, paint, printStyled } from "../command-line/output.ts";
import { launcherPath } from "../launcher.ts";

export interface EchoChild {
  readonly child: Child;
  readonly client: EchoClient;
}

export interface Stage {
  readonly failures: number;
  title(text: string): void;
  /** Something that was observed. */
  fact(text: string): void;
  /** What the facts above prove, in one line. */
  prove(claim: string, holds: boolean): void;
  /** Starts `hawser` with these arguments; its pipes speak the codec. */
  start(args: readonly string[], codec: Codec): Promise<Child>;
  startEcho(): Promise<EchoChild>;
  /**
   * Ends every child that still runs; resolves with how many processes are left, which should be none.
   * A step that is still going on prints and starts nothing more.
   */
  close(): Promise<number>;
}

const width = 78;
const stopMs = 500;

/** NDJSON that lets bytes through as they are, so that the tour can also send what isn't a message. */
const ndjsonOrBytes: Codec = {
  ...ndjson,
  encode: (message, options) => (Buffer.isBuffer(message) ? message : ndjson.encode(message, options)),
};

export function createStage(): Stage {
  const children = new Set<Child>();
  const pids: number[] = [];
  let isClosed = false;
  let number = 0;
  let failures = 0;
  const print = (line: string): void => void (isClosed || printStyled(process.stdout, `${line}\n`));

  async function start(args: readonly string[], codec: Codec): Promise<Child> {
    if (isClosed) throw new HawserError("closed", "the tour is over");
    const child = await startChild({
      command: process.execPath,
      args: [launcherPath, ...args],
      codec,
      stopInputMs: stopMs,
      stopSignalMs: stopMs,
      onStderr: (chunk) => process.stderr.write(chunk),
    });
    children.add(child);
    pids.push(child.pid);
    void child.exited.then(() => children.delete(child));
    if (isClosed) await child.stop();
    return child;
  }

  return {
    get failures() {
      return failures;
    },
    title(text) {
      print(`\n${paint("bold", fitLine(`${++number}. ${text}`, width))}`);
    },
    fact: (text) => print(`   ${fitLine(text, width - 3)}`),
    prove(claim, holds) {
      if (!holds) failures++;
      print(` ${holds ? paint("green", "✓") : paint("red", "✗ not proved:")} ${fitLine(claim, width - (holds ? 3 : 16))}`);
    },
    start,
    async startEcho() {
      const child = await start(["echo"], ndjsonOrBytes);
      return { child, client: createEchoClient(child.transport, () => describeEnd(child)) };
    },
    async close() {
      isClosed = true;
      await Promise.all(
        [...children].map((child) => {
          child.kill("SIGTERM");
          return child.stop();
        }),
      );
      return pids.filter(isRunning).length;
    },
  };
}

async function describeEnd(child: Child): Promise<string> {
  const { code, signal } = await child.exited;
  return `the child ended (${signal ?? `exit code ${code}`}) before it answered; start it again`;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function time<Result>(work: Promise<Result>): Promise<{ result: Result; ms: number }> {
  const startedAt = performance.now();
  const result = await work;
  return { result, ms: performance.now() - startedAt };
}

/** How a call ended: "ok", or the code of its error. */
export const settleCode = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "ok",
    (error: unknown) => toHawserError(error).code,
  );

export function formatMs(ms: number): string {
  if (ms < 0.1) return "under 0.1 ms";
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}

export const formatMegabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type WithoutId<Request> = Request extends unknown ? Omit<Request, "id"> : never;

/** A request without its id, which the client gives it. */
type EchoCall = WithoutId<EchoRequest>;

// A tour must not hang: what takes longer than this is not worth showing.
const longestWaitMs = 60_000;

// No request has this id, so it is free for answers that carry none.
const strayId = "";

export interface EchoClient {
  /** Sends the request; resolves with its last answer, rejects with its error or when the server is gone. */
  call(request: EchoCall, options?: { id?: string; onPiece?(piece: EchoResponse): void }): Promise<EchoResponse>;
  /** The next answer that carries no id: what the server says to bytes that it could not read. */
  nextStray(): Promise<EchoResponse>;
  /** Stops taking messages until the returned function is called. */
  haltReading(): () => void;
}

export function createEchoClient(transport: Transport, describeEnd: () => Promise<string>): EchoClient {
  const pending = createPendingTable<EchoResponse, EchoResponse>();
  let reading: Promise<void> = Promise.resolve();
  let lastId = 0;

  function receive(response: EchoResponse): void {
    if (response.id === undefined) {
      pending.resolve(strayId, response);
    } else if (response.type === "piece") {
      pending.event(response.id, response);
    } else if (response.type === "error") {
      pending.reject(response.id, new HawserError(response.code as ErrorCode, response.error));
    } else {
      pending.resolve(response.id, response);
    }
  }

  async function readAll(): Promise<void> {
    for await (const item of transport.incoming) {
      await reading;
      if (item.kind === "message") receive(item.value as EchoResponse);
    }
    pending.close(new HawserError("connection_lost", await describeEnd()));
  }
  void readAll();

  // The tour may be interrupted before it looks at the answer.
  function wait(id: string, onEvent?: (piece: EchoResponse) => void): Promise<EchoResponse> {
    const answer = pending.wait(id, { totalMs: longestWaitMs, ...(onEvent && { onEvent }) });
    answer.catch(() => {});
    return answer;
  }

  return {
    call(request, { id = `c${++lastId}`, onPiece } = {}) {
      const answer = wait(id, onPiece);
      transport.send({ id, ...request }).catch((error: unknown) => pending.reject(id, toHawserError(error)));
      return answer;
    },
    nextStray: () => wait(strayId),
    haltReading() {
      const halt = Promise.withResolvers<void>();
      reading = halt.promise;
      return halt.resolve;
    },
  };
}
