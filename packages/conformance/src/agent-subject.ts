// An agent runtime under test: a command whose conversations, configuration and model are its own business,
// but not those of whoever runs the suite. Each scenario gets a private folder for what it keeps.

import { createPrivateFolder } from "@hawser/wire/node";
import { nameOf, startCommand, type CommandSubjectOptions, type StartCommand } from "./command-subject.ts";
import type { Session, Subject } from "./subject.ts";

/** `start` is for tests: without it a process is started. */
export function agentSubject(options: CommandSubjectOptions, start: StartCommand = startCommand): Subject {
  return { name: nameOf(options), hasProcess: true, open: () => openAgent(options, start) };
}

async function openAgent(options: CommandSubjectOptions, start: StartCommand): Promise<Session> {
  const folder = createPrivateFolder("conform");
  try {
    const session = await start({ ...options, env: toEnvironment(options.env ?? process.env, folder.path) });
    const close = async (): Promise<void> => {
      await session.close();
      folder.remove();
    };
    let closing: Promise<void> | undefined;
    return { ...session, close: () => (closing ??= close()) };
  } catch (error) {
    folder.remove();
    throw error;
  }
}

/** A model that costs nothing and answers at once, where the command knows one; another answers as well. */
const toEnvironment = (env: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv => ({
  HAWSER_MODEL: "offline",
  ...env,
  XDG_CONFIG_HOME: folder,
  XDG_DATA_HOME: folder,
});
