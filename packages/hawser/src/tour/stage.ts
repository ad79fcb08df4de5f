// Where the tour plays: it prints titles, facts and what they prove, starts the children and ends them. A claim is printed
// as proved only if it held; one that did not makes the tour fail.

import { HawserError, toHawserError, type EchoRequest, type EchoResponse, type ErrorCode } from "@hawser/protocol";
import { createPendingTable, type Transport } from "@hawser/wire";
import { createStreamTransport, ndjson, startChild, type PipedChild } from "@hawser/wire/node";
import { fitLine, paint, printStyled } from "../command-line/output.ts";
import { childProgram } from "../command-line/launcher.ts";

export interface EchoChild {
  readonly child: PipedChild;
  readonly client: EchoClient;
}

export type Stage = ReturnType<typeof createStage>;

const width = 78;
const stopMs = 500;

export function createStage() {
  const children = new Set<PipedChild>();
  const pids: number[] = [];
  let isClosed = false;
  let number = 0;
  let failures = 0;
  const print = (line: string): void => void (isClosed || printStyled(process.stdout, `${line}\n`));

  async function start(args: readonly string[]): Promise<PipedChild> {
    if (isClosed) throw new HawserError("closed", "the tour is over");
    const child = await startChild({
      command: process.execPath,
      args: [childProgram, ...args],
      stdio: "pipe",
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
    get failures(): number {
      return failures;
    },
    title: (text: string): void => print(`\n${paint("bold", fitLine(`${++number}. ${text}`, width))}`),
    /** Something that was observed. */
    fact: (text: string): void => print(`   ${fitLine(text, width - 3)}`),
    /** What the facts above prove, in one line. */
    prove(claim: string, holds: boolean): void {
      if (!holds) failures++;
      print(` ${holds ? paint("green", "✓") : paint("red", "✗ not proved:")} ${fitLine(claim, width - (holds ? 3 : 16))}`);
    },
    start,
    async startEcho(): Promise<EchoChild> {
      const child = await start(["echo"]);
      async function describeEnd(): Promise<string> {
        const { code, signal } = await child.exited;
        return `the child ended (${signal ?? `exit code ${code}`}) before it answered; start it again`;
      }
      const transport = createStreamTransport({ readable: child.stdout, writable: child.stdin, codec: ndjson });
      return { child, client: createEchoClient(transport, describeEnd) };
    },
    /** Ends every child; resolves with how many processes are left. A step that still goes on prints and starts nothing more. */
    async close(): Promise<number> {
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

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export async function time<Result>(work: Promise<Result>): Promise<{ result: Result; ms: number }> {
  const startedAt = performance.now();
  const result = await work;
  return { result, ms: performance.now() - startedAt };
}

export function formatMs(ms: number): string {
  if (ms < 0.1) return "under 0.1 ms";
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}

type WithoutId<Request> = Request extends unknown ? Omit<Request, "id"> : never;

// A tour must not hang: what takes longer than this is not worth showing.
const longestWaitMs = 60_000;

// No request has this id, so it is free for answers that carry none.
const strayId = "";

export type EchoClient = ReturnType<typeof createEchoClient>;

export function createEchoClient(transport: Transport, describeEnd: () => Promise<string>) {
  const pending = createPendingTable<EchoResponse, EchoResponse>();
  let reading: Promise<void> = Promise.resolve();
  let lastId = 0;

  function receive(response: EchoResponse): void {
    const { id = strayId, type } = response;
    if (type === "piece") pending.event(id, response);
    else if (type === "error" && id !== strayId) pending.reject(id, new HawserError(response.code as ErrorCode, response.error));
    else pending.resolve(id, response);
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
    /** Resolves with the request's last answer, rejects with its error or when the server is gone. */
    call(
      request: WithoutId<EchoRequest>,
      { id = `c${++lastId}`, onPiece }: { id?: string; onPiece?(piece: EchoResponse): void } = {},
    ): Promise<EchoResponse> {
      const answer = wait(id, onPiece);
      transport.send({ id, ...request }).catch((error: unknown) => pending.reject(id, toHawserError(error)));
      return answer;
    },
    /** The next answer that carries no id: what the server says to bytes that it could not read. */
    nextStray: (): Promise<EchoResponse> => wait(strayId),
    /** Stops taking messages until the returned function is called. */
    haltReading(): () => void {
      const halt = Promise.withResolvers<void>();
      reading = halt.promise;
      return halt.resolve;
    },
  };
}
