// Undo in a folder of 50,000 files: the first look, which copies all contents; the look before a later turn, when three files have changed;
// and how long the loop of the process stands still meanwhile, since the looking is a thread's. Beside it, other programs that go
// through the same files.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createChangeLog } from "../../packages/agent/src/changes/change-log.ts";
import { createWorkspaceChanges, type WorkspaceChanges } from "../../packages/agent/src/changes/workspace-changes.ts";
import { createRoots } from "../../packages/agent/src/tools/files/roots.ts";
import { timeOf } from "../measure.ts";
import { createTemporaryDirectory } from "../program.ts";
import type { Row } from "../row.ts";

const run = promisify(execFile);
const looking = "undo";
const copying = "cp -r";
const finding = "find -printf";

function makeTree(root: string): void {
  for (let folder = 0; folder < 1_000; folder++) {
    const path = join(root, `d${folder % 50}`, `e${folder}`);
    mkdirSync(path, { recursive: true });
    // About 2.6 KB on average, each with a content of its own.
    for (let file = 0; file < 50; file++)
      writeFileSync(join(path, `file${file}.ts`), `// ${folder} ${file}\n`.repeat(1 + ((folder * file) % 400)));
  }
}

async function openUndo(folder: string, root: string): Promise<WorkspaceChanges> {
  return createWorkspaceChanges(createChangeLog({ folder }), await createRoots([root]));
}

async function lookOnce(changes: WorkspaceChanges): Promise<void> {
  const problem = Promise.withResolvers<never>();
  const onProblem = (message: string): void => problem.reject(new Error(message));
  const turn = changes.openTurn({ conversationId: "bench", requestId: "bench", tell: () => {}, onProblem });
  const after = await Promise.race([turn.before("anything", new AbortController().signal), problem.promise]);
  await after();
  await turn.end();
}

/** The longest time between two looks at the clock, while something is awaited. */
async function longestPause(work: () => Promise<void>): Promise<number> {
  let [longest, last] = [0, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  await work();
  clearInterval(timer);
  return longest;
}

export const undo: Row = {
  name: "undo",
  platforms: ["linux"],
  async prepare(context) {
    const directory = createTemporaryDirectory(context);
    const root = join(directory, "tree");
    makeTree(root);
    const later = await openUndo(join(directory, "later"), root);
    await lookOnce(later);
    let count = 0;
    const firstLook = async (): Promise<void> => {
      const data = mkdtempSync(join(directory, "undo-"));
      await lookOnce(await openUndo(data, root));
      rmSync(data, { recursive: true });
    };
    const laterLook = async (): Promise<number> => {
      for (const folder of [1, 2, 3]) writeFileSync(join(root, `d${folder}`, `e${folder}`, "file1.ts"), `round ${count++}\n`);
      const turn = later.openTurn({ conversationId: "bench", requestId: `r${count}`, tell: () => {}, onProblem: () => {} });
      let after = (): Promise<void> => Promise.resolve();
      const ms = await timeOf(async () => void (after = await turn.before("anything", new AbortController().signal)));
      await after();
      await turn.end();
      return ms;
    };
    const copy = async (): Promise<void> => {
      const to = join(directory, "copy");
      await run("cp", ["-r", root, to]);
      await run("rm", ["-r", to]);
    };
    const shared = { unit: "ms", ours: looking } as const;
    const rounds = (usual: number): number => Math.ceil(usual / 8);
    return [
      {
        ...shared,
        name: "undo, the first look at 50,000 files",
        work: "all contents copied and hashed",
        rounds,
        contestants: [
          { name: looking, round: async () => [await timeOf(firstLook)] },
          { name: copying, round: async () => [await timeOf(copy)] },
        ],
        targets: [],
      },
      {
        ...shared,
        name: "undo, before a later turn",
        work: "50,000 files, three have changed",
        contestants: [
          { name: looking, round: async () => [await laterLook()] },
          {
            name: finding,
            round: async () => [await timeOf(async () => void (await run("find", [root, "-printf", "%s%T@%C@%i"], { maxBuffer: 1e9 })))],
          },
        ],
        targets: [{ atMost: 150 }],
      },
      {
        ...shared,
        name: "undo, the longest pause of the loop in the first look",
        work: "50,000 files",
        rounds,
        contestants: [{ name: looking, round: async () => [await longestPause(firstLook)] }],
        targets: [{ atMost: 50 }],
      },
    ];
  },
};
