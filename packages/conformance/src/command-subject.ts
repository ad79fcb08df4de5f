// A subject that is a command: started for every scenario, spoken to through its pipes. Scenarios send broken bytes and end the input
// alone, so the pipes are used directly, below any transport. The command runs in its own process group: anything it starts (a shell,
// npx) ends with it. Most kinds of commands also get a private folder in each scenario, which is removed after it.

import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { createLastWords, createPrivateFolder, startChild, type PipedChild, type PipedChildOptions } from "@hawser/wire/internal/node";
import type { Session, Subject } from "./subject.ts";

export interface CommandSubjectOptions {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Variables of the command that replace any other, also ours. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string;
  /** The file mode mask of the command; our own unless given. */
  readonly umask?: number | undefined;
  /** After a scenario: time to exit when its input ends, and then after SIGTERM. */
  readonly stopInputMs?: number;
  readonly stopSignalMs?: number;
}

const defaultStopMs = 1_000;
const maxLastWordsChars = 2_000;

export const toSubject = (options: CommandSubjectOptions, open: Subject["open"]): Subject => ({
  name: [options.command, ...(options.args ?? [])].join(" "),
  hasProcess: true,
  open,
});

export const commandSubject = (options: CommandSubjectOptions): Subject => toSubject(options, () => startCommand(options));

/** An agent runtime, kept away from the conversations and configuration of the user that runs the suite. `start` is for tests. */
export const agentSubject = (options: CommandSubjectOptions, start: StartCommand = startCommand): Subject =>
  toSubject(options, () =>
    inPrivateFolder(async (folder, onClose) => {
      // A free model that answers at once, if the command has one; any other will do.
      const env = { HAWSER_MODEL: "offline", ...(options.env ?? process.env), XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
      const session = await start({ ...options, env });
      onClose(session.close);
      const workFolder = join(realpathSync(folder), "work");
      mkdirSync(workFolder);
      return { ...session, given: { workFolder } };
    }),
  );

export type OnClose = (close: () => Promise<void>) => void;

/** Closes what was opened, last first, and removes the folder: with the session, or when it can't be opened. */
export async function inPrivateFolder(open: (folder: string, onClose: OnClose) => Promise<Session>): Promise<Session> {
  const folder = createPrivateFolder("conform");
  const opened: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    for (const one of opened.toReversed()) await one();
    folder.remove();
  }
  try {
    return { ...(await open(folder.path, (one) => opened.push(one))), close: () => (closing ??= close()) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts the command; its session must be closed. */
export type StartCommand = (options: CommandSubjectOptions) => Promise<Session>;

export async function startCommand({ umask, variables, ...options }: CommandSubjectOptions): Promise<Session> {
  const lastWords = createLastWords(maxLastWordsChars);
  const child = await startWithMask(umask, {
    stopInputMs: defaultStopMs,
    stopSignalMs: defaultStopMs,
    ...options,
    env: { ...(options.env ?? process.env), ...variables },
    stdio: "pipe",
    isGuarded: true,
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

// A child inherits the mask at its start, and it is started before this returns.
function startWithMask(umask: number | undefined, options: PipedChildOptions): Promise<PipedChild> {
  const ownUmask = umask === undefined ? undefined : process.umask(umask);
  try {
    return startChild(options);
  } finally {
    if (ownUmask !== undefined) process.umask(ownUmask);
  }
}
