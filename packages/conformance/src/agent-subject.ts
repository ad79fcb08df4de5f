// An agent runtime under test: a command whose conversations, configuration and model are its own business,
// but not those of whoever runs the suite. Each scenario gets a private folder for what it keeps.

import { startCommand, nameOf, type CommandSubjectOptions } from "./command-subject.ts";
import { createPrivateFolder } from "./private-folder.ts";
import type { Session, Subject } from "./subject.ts";

export function agentSubject(options: CommandSubjectOptions): Subject {
  return { name: nameOf(options), hasProcess: true, open: () => openAgent(options) };
}

async function openAgent(options: CommandSubjectOptions): Promise<Session> {
  const folder = createPrivateFolder();
  try {
    const session = await startCommand({ ...options, env: toEnvironment(options.env ?? process.env, folder.path) });
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
