// A folder with files, and undo on it as a runtime has it, with the real thread. `turn` changes files as a command would, `edit` as
// one of our own tools.

import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { createChangeLog, type ChangeLogOptions } from "../../src/changes/change-log.ts";
import { createWorkspaceChanges } from "../../src/changes/workspace-changes.ts";
import { createRoots } from "../../src/tools/files/roots.ts";

const home = mkdtempSync(join(tmpdir(), "hawser-undo-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

export const newFolder = (): string => mkdtempSync(join(home, "f-"));

export function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** No look is made where it is asked. */
export const inThread = 0;

let usualNear: number | undefined;

/** Every stage from here on has its looks in the thread. */
export function lookInThread(): void {
  usualNear = inThread;
}

export interface UndoStageOptions extends Partial<Pick<ChangeLogOptions, "limits" | "nearBytes" | "isPassing" | "settings">> {
  /** Of an earlier stage, to go on from it. */
  readonly root?: string;
  readonly data?: string;
}

export async function openUndoStage(files: Readonly<Record<string, string | Buffer>> = {}, options: UndoStageOptions = {}) {
  const root = options.root ?? newFolder();
  const data = options.data ?? join(newFolder(), "undo");
  writeFiles(root, files);
  const log = createChangeLog({ ...options, folder: data, nearBytes: options.nearBytes ?? usualNear });
  const changes = createWorkspaceChanges(log, await createRoots([root], { settings: options.settings }));
  const problems: string[] = [];
  const open = (conversationId: string, requestId: string) =>
    changes.openTurn({ conversationId, requestId, tell: () => {}, onProblem: (message) => problems.push(message) });
  const signal = new AbortController().signal;

  return {
    root,
    data,
    log,
    changes,
    problems,
    open,
    signal,
    path: (name: string): string => join(root, name),
    read: (name: string): string => readFileSync(join(root, name), "utf8"),
    /** A turn that may change anything. */
    async turn(act: () => unknown, requestId: string = randomUUID(), conversationId = "c"): Promise<string> {
      const watch = open(conversationId, requestId);
      const after = await watch.before("anything", signal);
      await act();
      await after();
      await watch.end();
      return requestId;
    },
    /** A turn that changes one file. */
    async edit(path: string, act: () => unknown, requestId: string = randomUUID(), conversationId = "c"): Promise<string> {
      const watch = open(conversationId, requestId);
      const after = await watch.before({ path }, signal);
      await act();
      await after();
      await watch.end();
      return requestId;
    },
    list: (query: { readonly requestId?: string; readonly diff?: boolean; readonly conversationId?: string } = {}) =>
      changes.list({ conversationId: "c", ...query }),
    revert: (
      query: {
        readonly target?: string;
        readonly paths?: readonly string[];
        readonly requestId?: string;
        readonly conversationId?: string;
      } = {},
    ) => changes.revert({ conversationId: "c", requestId: randomUUID(), ...query }),
  };
}

/** Everything below a folder: kinds, modes, contents and targets, by the bytes of the names. */
export function treeOf(folder: string): Record<string, string> {
  const tree: Record<string, string> = {};
  const walk = (at: Buffer, prefix: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true, encoding: "buffer" })) {
      const path = Buffer.concat([at, Buffer.from("/"), entry.name]);
      const name = prefix + entry.name.toString("latin1");
      const mode = (lstatSync(path).mode & 0o7777).toString(8);
      if (entry.isDirectory()) {
        tree[`${name}/`] = mode;
        walk(path, `${name}/`);
      } else if (entry.isSymbolicLink()) tree[name] = `-> ${readlinkSync(path, "latin1")}`;
      else if (entry.isFile()) tree[name] = `${mode} ${readFileSync(path).toString("latin1")}`;
      else tree[name] = "other";
    }
  };
  walk(Buffer.from(folder), "");
  return tree;
}
