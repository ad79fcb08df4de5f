// A bridge under test: a command that is given a socket and a schema file, with us on both sides: the MCP client on its pipes and the
// parent behind the socket. Each scenario has a private folder for both files, which is also the bridge's temporary folder.

import { rmSync, writeFileSync } from "node:fs";
import { createSessionNames, type SessionNames } from "@hawser/wire/node";
import { inPrivateFolder, startCommand, toSubject, type CommandSubjectOptions, type StartCommand } from "./command-subject.ts";
import { toBytes } from "./pieces.ts";
import { listenParent } from "./scripted-peers.ts";
import type { Setup } from "./scenario.ts";
import type { Subject } from "./subject.ts";

/** Part of the file names in every scenario, so that a scenario can look for it in an error. */
export const bridgeUuid = "0123456789ab4cde8f0123456789abcd";

/** `{socket}` and `{schema}` in the arguments stand for the two paths; a missing one is added at the end. */
export const bridgeSubject = (options: CommandSubjectOptions, start: StartCommand = startCommand): Subject =>
  toSubject(options, (setup = {}) =>
    inPrivateFolder(async (folder, onClose) => {
      const names = createSessionNames({ directories: [folder], uuid: bridgeUuid });
      writeSchema(names.schemaPath, setup);
      const parent = setup.listen === false ? undefined : await listenParent(names.socketPath, setup.answers ?? []);
      if (parent) onClose(parent.close);
      const args = toArguments(options.args ?? [], names, setup.paths ?? 2);
      const session = await start({ ...options, args, env: { ...(options.env ?? process.env), TMPDIR: folder } });
      onClose(session.close);
      return {
        ...session,
        facts: () => ({ ...(parent?.facts() ?? { connections: 0, open: 0, requests: [] }), stderr: session.lastWords() }),
        faults: () => parent?.faults ?? [],
        removeSchema: () => rmSync(names.schemaPath),
      };
    }),
  );

function writeSchema(path: string, setup: Setup): void {
  const bytes = setup.schemaBytes !== undefined ? toBytes(setup.schemaBytes) : setup.schema !== undefined && JSON.stringify(setup.schema);
  if (bytes !== false) writeFileSync(path, bytes, { mode: 0o600, flag: "wx" });
}

/** With fewer than two paths, arguments that stand for a path are left out; a third path names no file. */
function toArguments(args: readonly string[], names: SessionNames, count: 0 | 1 | 2 | 3): string[] {
  const words = ["{socket}", "{schema}"];
  const missing = words.filter((word) => !args.some((arg) => arg.includes(word)));
  const dropped = words.slice(count);
  const kept = [...args, ...missing].filter((arg) => !dropped.some((word) => arg.includes(word)));
  const filled = kept.map((arg) => arg.replaceAll("{socket}", names.socketPath).replaceAll("{schema}", names.schemaPath));
  return count === 3 ? [...filled, `${names.schemaPath}.3`] : filled;
}
