// A shell that serves the built page, with a real `hawser agent` behind it, in a folder of their own. Starting
// one takes longer than most tests do with it: so it may serve several, one after the other, and forgets what
// each has left, its conversations and its files.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect } from "vitest";
import { startShell, type Shell } from "../../src/index.ts";
import { builtHawser } from "../../../../test/kit/built-hawser.ts";
import { connectTab, enter, patientMs } from "../server/stage.ts";

const launcher = builtHawser;
export const pageFolder = resolve(import.meta.dirname, "../../dist/page");

export interface ServedShell extends AsyncDisposable {
  readonly shell: Shell;
  readonly origin: string;
  /** What was said to the terminal. */
  readonly notices: readonly string[];
  /** The folder in which the agent works. */
  readonly work: string;
  write(files: Files): void;
  /** Of the runtime that runs now. */
  agentPid(): number | undefined;
  /** What the audit log says since then of decisions about questions and rules: which, and how. */
  decisions(): [decision: unknown, via: unknown][];
  /** As if nobody had been here. A turn that still runs is a mistake of the test, and fails it. */
  forget(): Promise<void>;
}

export type Files = Readonly<Record<string, string>>;

export interface ServedShellOptions {
  readonly model?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Another runtime: what Node runs instead of `hawser agent`. */
  readonly runtime?: readonly string[];
  /** What the page says of where the agent works. */
  readonly root?: string;
  /** In the folder in which the agent works, before it starts. */
  readonly files?: Files;
  /** Before the agent starts. */
  prepare?(folders: Folders): Promise<void>;
}

export interface Folders {
  readonly work: string;
  readonly data: string;
}

export async function serveShell(options: ServedShellOptions = {}): Promise<ServedShell> {
  const folder = mkdtempSync(join(tmpdir(), "hawser-browser-"));
  const folders = { work: join(folder, "work"), data: join(folder, "data") };
  mkdirSync(folders.work);
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const notices: string[] = [];
  const shell = await start({ folder, ...folders, onNotice: (text) => notices.push(text) }, options).catch((error: unknown) => {
    remove();
    throw error;
  });
  return {
    shell,
    origin: `http://127.0.0.1:${shell.port}`,
    notices,
    work: folders.work,
    write: (files) => writeFiles(folders.work, files),
    agentPid: () => findAgent(folders.data),
    decisions: () => decisionsIn(join(folders.data, "audit.jsonl")),
    async forget() {
      await deleteConversations(shell);
      for (const name of readdirSync(folders.work)) rmSync(join(folders.work, name), { recursive: true, force: true });
      rmSync(join(folders.data, "audit.jsonl"), { force: true });
    },
    async [Symbol.asyncDispose]() {
      await shell.stop();
      remove();
    },
  };
}

interface Place extends Folders {
  readonly folder: string;
  onNotice(text: string): void;
}

async function start({ folder, work, data, onNotice }: Place, options: ServedShellOptions): Promise<Shell> {
  const { model = "offline", args = [], env, root = work, files = {} } = options;
  writeFiles(work, files);
  await options.prepare?.({ work, data });
  const agent = [launcher, "agent", `--model=${model}`, `--root=${work}`, `--data-dir=${data}`];
  return startShell({
    command: process.execPath,
    args: (dropped: string) => options.runtime ?? [...agent, `--attachments=${dropped}`, ...args],
    // Neither keys nor settings of the person who runs the tests; but a fresh home has no compiled code, and that takes a second.
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      XDG_DATA_HOME: folder,
      HAWSER_KEYCHAIN: "off",
      ...env,
    },
    cwd: work,
    facts: { root, examples: ["call listTags"] },
    pageFolder,
    readyMs: patientMs,
    onNotice,
  });
}

function decisionsIn(auditLog: string): [unknown, unknown][] {
  const lines = existsSync(auditLog) ? readFileSync(auditLog, "utf8").trim().split("\n") : [];
  return lines.map((line) => {
    const { decision, via } = JSON.parse(line) as Record<string, unknown>;
    return [decision, via];
  });
}

function writeFiles(work: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), content);
  }
}

/** As a tab would. */
async function deleteConversations({ port, newAddress }: Shell): Promise<void> {
  const credential = await enter(port, newAddress().url.split("#key=", 2)[1] ?? "");
  const tab = await connectTab(port, { credential, headers: { origin: `http://127.0.0.1:${port}` } });
  await tab.next('"ready"');
  let count = 0;
  const ask = (request: object): Promise<string> => {
    const id = `forget-${++count}`;
    tab.send({ id, ...request });
    return tab.next(`"id":"${id}"`);
  };
  const { data } = JSON.parse((await ask({ kind: "list_conversations" })).slice(1)) as { data: { conversations: Listed[] } };
  for (const { conversationId } of data.conversations)
    // What was read on the screen may be a moment before the turn's end, until which it is refused.
    await expect.poll(() => ask({ kind: "delete_conversation", conversationId }), { timeout: 30_000 }).toContain('"done"');
  tab.close();
}

interface Listed {
  readonly conversationId: string;
}

/** By its parent, which is this process, and by the folder that only it was given. */
function findAgent(data: string): number | undefined {
  const found = readdirSync("/proc").find((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state !== "Z" && Number(parent) === process.pid && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(data);
    } catch {
      // Ended while it was looked at.
      return false;
    }
  });
  return found === undefined ? undefined : Number(found);
}
