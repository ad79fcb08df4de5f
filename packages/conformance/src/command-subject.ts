// A subject that is a command: started for every scenario, spoken to through its pipes. Scenarios
// send broken bytes and end the input alone, so the pipes are used as they are, below any transport.
// The command runs in a process group of its own: whatever it starts (a shell, npx) is gone with it.
// Most kinds of commands also get a private folder in each scenario, which is removed after it.

import { createLastWords, createPrivateFolder, startChild, type PipedChild, type PipedChildOptions } from "@hawser/wire/internal/node";
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

export const toSubject = (options: CommandSubjectOptions, open: Subject["open"]): Subject => ({
  name: [options.command, ...(options.args ?? [])].join(" "),
  hasProcess: true,
  open,
});

export const commandSubject = (options: CommandSubjectOptions): Subject => toSubject(options, () => startCommand(options));

/**
 * An agent runtime: its conversations, configuration and model are its own business, but not those of the user that runs
 * the suite. `start` is for tests: without it a process is started.
 */
export const agentSubject = (options: CommandSubjectOptions, start: StartCommand = startCommand): Subject =>
  toSubject(options, () =>
    inPrivateFolder(async (folder, onClose) => {
      // A model that costs nothing and answers at once, where the command knows one; another answers as well.
      const env = { HAWSER_MODEL: "offline", ...(options.env ?? process.env), XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
      const session = await start({ ...options, env });
      onClose(session.close);
      return session;
    }),
  );

export type OnClose = (close: () => Promise<void>) => void;

/** What was opened last is closed first, and then the folder is removed: with the session, or when it can't be opened. */
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
