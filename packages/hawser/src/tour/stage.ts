// Where the tour plays: it prints titles, facts and what they prove, starts the children and ends
// them. A claim is printed as proved only if it held; one that did not makes the tour fail.

import { HawserError } from "@hawser/wire";
import { ndjson, startChild, type Child, type Codec } from "@hawser/wire/node";
import { createEchoClient, type EchoClient } from "../echo-client.ts";
import { launcherPath } from "../launcher.ts";
import { fitLine, paint, printStyled } from "../terminal.ts";

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

/** NDJSON that lets bytes through as they are, so that the tour can also send what is no message. */
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
