// Undo under attack: what another program does to the files between a look and the revert of what it saw, and while it runs.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, lstatSync, mkdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { newFolder, openUndoStage, treeOf, writeFiles } from "./undo-stage.ts";

const rounds = process.env["HAWSER_LONG"] ? 100 : 4;
const names = Array.from({ length: 12 }, (_, at) => `f${at}.txt`);
const all = (state: string): Record<string, string> => Object.fromEntries(names.map((name) => [`d/${name}`, `${state} ${name}`]));

/** Puts a link to `outside` in the place of `folder` and takes it away again, as fast as it can, until it is killed. */
const flipper = `
  const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
  const [folder, outside] = process.argv.slice(1);
  process.stdout.write("flips\\n");
  for (;;) {
    renameSync(folder, folder + ".real");
    symlinkSync(outside, folder);
    unlinkSync(folder);
    renameSync(folder + ".real", folder);
  }`;

test("G13 a folder that is a link to the outside again and again while it is reverted: nothing outside is changed, every file is whole", async () => {
  const outside = newFolder();
  writeFiles(outside, Object.fromEntries(names.map((name) => [name, `new ${name}`])));
  const before = treeOf(outside);
  const stage = await openUndoStage(all("old"));
  await stage.turn(() => writeFiles(stage.root, all("new")), "r");
  const child = spawn(process.execPath, ["-e", flipper, stage.path("d"), outside], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  for (let round = 0; round < rounds; round++) {
    await stage.revert({ target: round % 2 === 0 ? "r" : `u${round - 1}`, requestId: `u${round}` }).catch(() => undefined);
    expect(treeOf(outside)).toEqual(before);
  }
  child.kill("SIGKILL");
  await closed;
  const folder = ["d.real", "d"].map(stage.path).find((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory());
  const left = treeOf(folder ?? "");
  expect(Object.keys(left)).toHaveLength(names.length);
  for (const name of names) expect([`644 old ${name}`, `644 new ${name}`]).toContain(left[name]);
});

test("a file that has grown beyond the bound since it was looked at is a conflict, whatever it was before", async () => {
  const stage = await openUndoStage({ "a.txt": "old", "b.txt": "old" }, { limits: { undoFileBytes: 100 } });
  await stage.turn(() => writeFiles(stage.root, { "a.txt": "new", "b.txt": "new", "made.txt": "made" }), "r");
  for (const name of ["a.txt", "made.txt"]) appendFileSync(stage.path(name), "x".repeat(1_000));
  // As large as the machine lets it seem: it is not read to be told apart.
  truncateSync(stage.path("b.txt"), 2 ** 40);
  const { reverted, conflicts } = await stage.revert();
  expect(reverted).toEqual([]);
  expect(conflicts.map(({ path }) => path).toSorted()).toEqual(["a.txt", "b.txt", "made.txt"]);
  expect([stage.read("a.txt").length, stage.read("made.txt").length, statSync(stage.path("b.txt")).size]).toEqual([1_003, 1_004, 2 ** 40]);
});

test("names as long as a file system takes, of any bytes, become folders and files again, and all of it comes back", async () => {
  const long = "n".repeat(255);
  const odd = Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.alloc(252, 0xe9)]);
  const stage = await openUndoStage({ [long]: "file", [`folder/${long}`]: "inner" });
  const oddPath = Buffer.concat([Buffer.from(`${stage.root}/`), odd]);
  writeFileSync(oddPath, "odd");
  const states = [treeOf(stage.root)];
  const swap = (): void => {
    for (const path of [Buffer.from(stage.path(long)), oddPath]) {
      const isFolder = lstatSync(path).isDirectory();
      rmSync(path, { recursive: true });
      if (isFolder) writeFileSync(path, "a file again");
      else {
        mkdirSync(path);
        writeFileSync(Buffer.concat([path, Buffer.from(`/${long}`)]), "deep");
      }
    }
    renameSync(stage.path(`folder/${long}`), stage.path(`folder/${long.slice(1)}`));
    renameSync(stage.path(`folder/${long.slice(1)}`), stage.path(`folder/${long}`));
  };
  for (const id of ["r1", "r2", "r3"]) {
    await stage.turn(swap, id);
    states.push(treeOf(stage.root));
  }
  for (const id of ["r3", "r2", "r1"]) {
    expect((await stage.revert({ target: id })).conflicts).toEqual([]);
    expect([id, treeOf(stage.root)]).toEqual([id, states[Number(id.slice(1)) - 1]]);
  }
});

test("a command that goes on writing while its turn is reverted loses nothing that it wrote", async () => {
  const stage = await openUndoStage({ "log.txt": "old\n" });
  await stage.turn(() => appendFileSync(stage.path("log.txt"), "new\n"), "r");
  const program = `
    const { appendFileSync } = require("node:fs");
    for (let line = 0; ; line++) {
      appendFileSync(process.argv[1], line + "\\n");
      if (line === 0) process.stdout.write("writes\\n");
    }`;
  const child = spawn(process.execPath, ["-e", program, stage.path("log.txt")], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  for (let round = 0; round < rounds; round++) expect((await stage.revert({ requestId: `u${round}` })).reverted).toEqual([]);
  child.kill("SIGKILL");
  await closed;
  const lines = stage.read("log.txt").split("\n");
  expect(lines.slice(0, 3)).toEqual(["old", "new", "0"]);
  expect(lines.slice(2, -1)).toEqual(lines.slice(2, -1).map((_, at) => String(at)));
});

test("a root is a folder like another one, and so is one whose name is not UTF-8", async () => {
  const stage = await openUndoStage({ "a.txt": "a" });
  const odd = Buffer.concat([Buffer.from(`${stage.root}/`), Buffer.from([0xe9])]);
  for (const path of [".", stage.root, `${stage.root}/`]) {
    await stage.turn(() => writeFiles(stage.root, { "a.txt": path, "in/b.txt": "b" }));
    expect(await stage.revert({ paths: [path] })).toEqual({ reverted: ["a.txt", "in/b.txt"], conflicts: [] });
  }
  await stage.turn(() => {
    mkdirSync(odd);
    writeFileSync(Buffer.concat([odd, Buffer.from("/c.txt")]), "c");
  });
  expect(await stage.revert({ paths: ['"\\351"'] })).toEqual({ reverted: ['"\\351/c.txt"'], conflicts: [] });
});
