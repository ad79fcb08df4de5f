// A subject that is a command: started for every scenario, spoken to through its pipes. Scenarios
// send broken bytes and end the input alone, so the pipes are used as they are, below any transport.
// The command runs in a process group of its own: whatever it starts (a shell, npx) is gone with it.

import { createLastWords, startChild, type PipedChild, type PipedChildOptions } from "@hawser/wire/node";
import type { Session, Subject } from "./subject.ts";

export interface CommandSubjectOptions {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** The file mode mask of the command; our own unless given. */
  readonly umask?: number | undefined;
  /** After a scenario: time to end by itself when its input ends, and then after SIGTERM. */
  readonly stopInputMs?: number;
  readonly stopSignalMs?: number;
}

const defaultStopMs = 1_000;
const maxLastWordsChars = 2_000;

export const nameOf = ({ command, args = [] }: CommandSubjectOptions): string => [command, ...args].join(" ");

export function commandSubject(options: CommandSubjectOptions): Subject {
  return { name: nameOf(options), hasProcess: true, open: () => startCommand(options) };
}

/** Starts the command; its session must be closed. */
export type StartCommand = (options: CommandSubjectOptions) => Promise<Session>;

export async function startCommand({ umask, ...options }: CommandSubjectOptions): Promise<Session> {
  const lastWords = createLastWords(maxLastWordsChars);
  const child = await startWithMask(umask, {
    stopInputMs: defaultStopMs,
    stopSignalMs: defaultStopMs,
    ...options,
    stdio: "pipe",
    ownsGroup: true,
    onStderr: lastWords.add,
  });
  return {
    input: child.stdin,
    output: child.stdout,
    process: { pid: child.pid, exited: child.exited, kill: (signal) => child.kill(signal as NodeJS.Signals) },
    lastWords: () => lastWords.text.trim(),
    close: async () => void (await child.stop()),
  };
}

// A child inherits the mask of the moment in which it is started, and it is started before this returns.
function startWithMask(umask: number | undefined, options: PipedChildOptions): Promise<PipedChild> {
  const ownUmask = umask === undefined ? undefined : process.umask(umask);
  try {
    return startChild(options);
  } finally {
    if (ownUmask !== undefined) process.umask(ownUmask);
  }
}
