// A name that stays the same over restarts of a program belongs to one running program at a time. Who finds it taken by a
// socket on which nobody listens takes it over, while holding a lock; a live one, and anything that is no socket of
// ours, is left alone. The schema file under that name changes in one step, between the removal of the old socket and the arrival of the new one:
// who reaches the program reads its own schemas.

import fs from "node:fs";
import { join } from "node:path";
import { HawserError } from "../errors.ts";
import { withFileLock } from "../file-lock.ts";
import { isDeadSocket } from "./dead-socket.ts";
import { identityOf } from "./file-identity.ts";
import type { FixedNames, SessionNames } from "./names.ts";

export interface FixedNameOptions {
  readonly names: SessionNames;
  /** Called before a file gets its fixed name, so that it is removed even if that fails half-way. */
  onPublish(path: string, source: string): void;
  /** True when the session has ended meanwhile; then nothing is published. */
  isOver(): boolean;
}

/** Gives the session's published socket and schema file their fixed names. Rejects with `name_taken` while a running program has them. */
export async function takeFixedName(fixed: FixedNames, { names, onPublish, isOver }: FixedNameOptions): Promise<void> {
  await withFileLock(`${fixed.socketPath}.lock`, async () => {
    if (identityOf(fixed.socketPath) && !(await isDeadSocket(fixed.socketPath))) throw nameInUse(fixed);
    if (isOver()) return;
    // Nothing is awaited from the proof to the end.
    fs.rmSync(fixed.socketPath, { force: true });
    if (identityOf(names.schemaPath)) {
      const draft = join(names.privateDirectory, "fixed.json");
      fs.linkSync(names.schemaPath, draft);
      onPublish(fixed.schemaPath, names.schemaPath);
      fs.renameSync(draft, fixed.schemaPath);
    }
    onPublish(fixed.socketPath, names.socketPath);
    fs.linkSync(names.socketPath, fixed.socketPath);
  });
}

function nameInUse({ name, socketPath }: FixedNames): HawserError {
  const reason = `${socketPath} belongs to a running program, or is not a socket of yours`;
  return new HawserError("name_taken", `"${name}" is taken: ${reason}. Stop that program, or choose another name`, {
    facts: { path: socketPath },
  });
}
