// RUN-07: two runtimes never share a conversation; the lock of a dead one is nobody's. With real processes.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { wireLimits } from "@hawser/wire";
import { createHolderName, judgeHolder } from "@hawser/wire/internal/node";
import { createJournal } from "../../src/history/journal.ts";
import { addTurn, freshStore, messagesOf, storeIn, temporaryFolder, user } from "./stores.ts";
import { until } from "../../../../test/kit/until.ts";

const program = fileURLToPath(new URL("../fixtures/history-holder.ts", import.meta.url));

interface Holder {
  readonly pid: number;
  nextLine(): Promise<string>;
  send(line: string): void;
  kill(signal: NodeJS.Signals): Promise<void>;
  end(): Promise<void>;
}

/** Like a container on the same folder: pids of its own, and a /proc that shows only those. */
const inNamespace = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"] as const;
const hasNamespaces = spawnSync(inNamespace[0], [...inNamespace.slice(1), "true"]).status === 0;

function startHolder(folder: string, conversationId: string, mode = "hold", wrapper: readonly string[] = []): Holder {
  const [command, ...args] = [...wrapper, process.execPath, "--conditions=hawser-source", program, folder, conversationId, mode];
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const gone = once(child, "exit");
  return {
    pid: child.pid!,
    nextLine: async () => String((await lines.next()).value),
    send: (line) => void child.stdin.write(`${line}\n`),
    async kill(signal) {
      child.kill(signal);
      await gone;
    },
    async end() {
      child.stdin.end();
      await gone;
    },
  };
}

it("RUN-07 a second runtime is refused with the pid of the first, at once; others' conversations are still listed", async () => {
  const { store, folder } = freshStore();
  await addTurn(store, "one", "x");
  const holder = startHolder(folder, "one");
  expect(await holder.nextLine()).toBe("held");
  const refused = { code: "overloaded", message: expect.stringContaining(`process ${holder.pid};`) as string, facts: { pid: holder.pid } };
  await expect(store.open("one")).rejects.toMatchObject(refused);
  await expect(store.delete("one")).rejects.toMatchObject(refused);
  expect(await store.list()).toHaveLength(1);
  await addTurn(store, "two", "y");
  await holder.end();
  expect(await messagesOf(store, "one")).toHaveLength(2);
});

it("RUN-07 two histories of one process don't share a conversation either", async () => {
  const { store, folder } = freshStore();
  const conversation = await store.open("one");
  const other = storeIn(folder);
  await expect(other.store.open("one")).rejects.toMatchObject({ code: "overloaded", facts: { pid: process.pid } });
  await conversation.close();
  await (await other.store.open("one")).add(user("q"));
});

it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("G9 a process that ends by %s leaves no lock behind", async (signal) => {
  const folder = join(temporaryFolder(), "store");
  const holder = startHolder(folder, "one");
  expect(await holder.nextLine()).toBe("held");
  expect(readdirSync(folder)).toHaveLength(1);
  await holder.kill(signal);
  expect(readdirSync(folder)).toEqual([]);
});

it("RUN-07 G9 the lock of a killed process is taken over at once, and one that nobody asks for is removed by the next start", async () => {
  const folder = join(temporaryFolder(), "store");
  const holders = [startHolder(folder, "one"), startHolder(folder, "two")];
  for (const holder of holders) expect(await holder.nextLine()).toBe("held");
  for (const holder of holders) await holder.kill("SIGKILL");
  expect(readdirSync(folder)).toHaveLength(2);
  const { store } = storeIn(folder);
  const conversation = await store.open("one");
  expect(readdirSync(folder)).toHaveLength(1);
  await conversation.close();
  expect(readdirSync(folder)).toEqual([]);
});

it("RUN-07 a killed process that its parent has not noticed yet counts as dead", async () => {
  // The shell becomes a sleep, which never asks after its child.
  const parent = spawn("sh", ["-c", "sleep 100 & echo $!; exec sleep 100"], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
  const stat = readFileSync(`/proc/${line}/stat`, "latin1").split(" ");
  const [, , space] = createHolderName().split("-");
  const name = `${line}-${stat[21]}-${space}-0123456789abcdef`;
  expect(judgeHolder(name)).toBe("alive");
  // As long as it is the shell, it may notice.
  await until(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "sleep\n");
  process.kill(Number(line), "SIGKILL");
  await until(() => readFileSync(`/proc/${line}/stat`, "latin1").split(" ")[2] === "Z");
  expect(judgeHolder(name)).toBe("gone");
});

it("RUN-07 a pid that is used again by another process does not hold a lock; names that are none are left alone", async () => {
  const { store, fileOf } = freshStore();
  const lock = `${fileOf("one")}.lock`;
  mkdirSync(lock);
  const name = createHolderName();
  expect(judgeHolder(name)).toBe("alive");
  const reused = name.replace(/-\d+-/, "-1-");
  writeFileSync(join(lock, reused), "");
  writeFileSync(join(lock, `${reused}.held`), "");
  writeFileSync(join(lock, "notes.txt"), "");
  const conversation = await store.open("one");
  await conversation.close();
  expect(readdirSync(lock)).toEqual(["notes.txt"]);
  expect(existsSync(join(lock, reused))).toBe(false);
});

it("RUN-07 four runtimes that want a dead one's conversation at the same moment: never two of them have it, and one gets it", async () => {
  const folder = join(temporaryFolder(), "store");
  const rivals = Array.from({ length: 4 }, () => startHolder(folder, "one", "contend"));
  const { fileOf } = storeIn(folder);
  const dead = startHolder(folder, "dead");
  await dead.nextLine();
  await dead.kill("SIGKILL");
  const [, , space] = createHolderName().split("-");
  const outcomes: string[] = [];
  for (let round = 0; round < 25; round++) {
    mkdirSync(`${fileOf("one")}.lock`, { recursive: true });
    writeFileSync(join(`${fileOf("one")}.lock`, `${dead.pid}-1-${space}-0123456789abcdef.held`), "");
    for (const rival of rivals) rival.send("now");
    const lines = await Promise.all(rivals.map((rival) => rival.nextLine()));
    outcomes.push(...lines);
    expect(lines).toContain("held");
  }
  // A second holder would say EEXIST.
  expect(outcomes.filter((line) => line !== "held" && !line.startsWith("overloaded: "))).toEqual([]);
  for (const rival of rivals) await rival.end();
});

it("RUN-07 a runtime in another PID namespace does not take over a live lock, nor is its own taken over", async (context) => {
  if (!hasNamespaces) context.skip("this user can't make PID namespaces (unshare --pid --fork)");
  const { store, folder } = freshStore();
  await addTurn(store, "one", "x");
  const outside = startHolder(folder, "one");
  expect(await outside.nextLine()).toBe("held");
  const inside = startHolder(folder, "one", "hold", inNamespace);
  expect(await inside.nextLine()).toContain(
    `is in use by another runtime, process ${outside.pid} of another container or machine; close it there`,
  );
  const other = startHolder(folder, "two", "hold", inNamespace);
  expect(await other.nextLine()).toBe("held");
  await expect(store.open("two")).rejects.toMatchObject({
    code: "overloaded",
    message: expect.stringContaining("of another container") as string,
  });
  expect(readFileSync(`/proc/${outside.pid}/comm`, "utf8")).not.toBe("");
  await other.end();
  await addTurn(store, "two", "y");
});

/** What a holder of another container has left: as if it had been touched this long ago. */
function putForeignHolder(lock: string, ageMs: number): string {
  const name = createHolderName().replace(/-[0-9a-f]{8}-/, "-ffffffff-");
  mkdirSync(lock, { recursive: true });
  for (const entry of [name, `${name}.held`]) {
    writeFileSync(join(lock, entry), "");
    const touchedAt = new Date(Date.now() - ageMs);
    utimesSync(join(lock, entry), touchedAt, touchedAt);
  }
  return name;
}

const longBeforeBootMs = 10 * 365 * 86_400_000;

it("RUN-07 a holder of another container that was touched lately is never taken over; one that was silent since before the boot is, at once", async () => {
  const { store, fileOf, folder } = freshStore();
  const lock = `${fileOf("one")}.lock`;
  const name = putForeignHolder(lock, 50_000);
  await expect(store.open("one")).rejects.toMatchObject({ code: "overloaded" });
  expect(readdirSync(lock).toSorted()).toEqual([name, `${name}.held`]);
  rmSync(lock, { recursive: true });
  putForeignHolder(lock, longBeforeBootMs);
  await (await store.open("one")).close();
  expect(readdirSync(folder)).toEqual([]);
});

/** Until the end of the test. */
function setWireLimits(changes: Partial<typeof wireLimits>): void {
  const before = { ...wireLimits };
  onTestFinished(() => void Object.assign(wireLimits, before));
  Object.assign(wireLimits, changes);
}

it("RUN-07 a holder gives signs of life, for those in other containers that can't see its process", async () => {
  setWireLimits({ lockBeatMs: 20 });
  const { store, fileOf } = freshStore();
  const open = await store.open("one");
  const lock = `${fileOf("one")}.lock`;
  const name = join(lock, readdirSync(lock).find((entry) => !entry.endsWith(".held")) ?? "");
  utimesSync(name, 1, 1);
  await expect.poll(async () => (await stat(name)).mtimeMs).toBeGreaterThan(1_000);
  await open.close();
});

it("RUN-07 a holder of another container that has slept and wakes while it is watched is not taken over", async () => {
  setWireLimits({ lockBeatMs: 20, lockSilenceMs: 1_000 });
  const { store, fileOf } = freshStore();
  const lock = `${fileOf("one")}.lock`;
  const name = putForeignHolder(lock, 10_000);
  const opening = store.open("one");
  const beat = setInterval(() => utimesSync(join(lock, name), new Date(), new Date()), 200);
  onTestFinished(() => clearInterval(beat));
  await expect(opening).rejects.toMatchObject({ code: "overloaded" });
  expect(readdirSync(lock).toSorted()).toEqual([name, `${name}.held`]);
});

it("RUN-07 G9 what a container left a day ago is removed by the next start; what is younger waits until somebody asks for it", async () => {
  const folder = temporaryFolder();
  const { store, fileOf } = storeIn(folder);
  putForeignHolder(`${fileOf("old")}.lock`, 2 * 86_400_000);
  const young = putForeignHolder(`${fileOf("young")}.lock`, 3_600_000);
  const unfinished = `${fileOf("old")}.new-${young}`;
  writeFileSync(unfinished, "");
  await store.list();
  expect(readdirSync(folder)).toHaveLength(2);
  utimesSync(unfinished, 1, 1);
  await storeIn(folder).store.list();
  expect(existsSync(unfinished)).toBe(false);
});

it("RUN-07 a holder that was taken for dead does not write into what is another's by now, and goes on once that has closed it", async () => {
  const { store, folder, fileOf } = freshStore();
  await addTurn(store, "one", "x");
  const paused = await store.open("one");
  // What another container does after a minute without a sign of life.
  rmSync(`${fileOf("one")}.lock`, { recursive: true });
  const other = await storeIn(folder).store.open("one");
  await expect(paused.add(user("late"))).rejects.toMatchObject({ code: "overloaded", facts: { pid: process.pid } });
  await other.add(user("theirs"));
  await other.close();
  await expect(paused.add(user("later"))).rejects.toThrow("another program has changed it while it was open");
  expect(paused.isStale).toBe(true);
  await paused.close();
  const again = await store.open("one");
  await again.add(user("now"));
  expect(again.messages.map(({ messageId }) => messageId)).toEqual(["x-q", "x-a", "theirs", "now"]);
});

it("RUN-07 a file that was removed is not written again over one that another runtime has made, once the lock was taken again", async () => {
  const path = join(temporaryFolder(), "one.jsonl");
  let isLost = false;
  const ensureLock = async (): Promise<boolean> => {
    if (isLost) writeFileSync(path, "theirs\n");
    return !isLost;
  };
  const journal = createJournal({ path, headerLine: "header\n", ensureLock });
  onTestFinished(() => journal.close());
  await journal.append(["mine\n"]);
  rmSync(path);
  isLost = true;
  await expect(journal.rewrite([["mine\n"]])).rejects.toThrow("another program has changed it while it was open");
  expect(readFileSync(path, "utf8")).toBe("theirs\n");
});

it("RUN-07 what another runtime has written while the lock was lost is seen, also when the file was looked at before", async () => {
  const path = join(temporaryFolder(), "one.jsonl");
  let isLost = false;
  const ensureLock = async (): Promise<boolean> => {
    if (!isLost) return true;
    // The look at the file, which is made beside this, is over.
    for (let count = 0; count < 50; count++) await stat(path);
    appendFileSync(path, "theirs\n");
    return false;
  };
  const journal = createJournal({ path, headerLine: "header\n", ensureLock });
  onTestFinished(() => journal.close());
  await journal.append(["mine\n"]);
  isLost = true;
  await expect(journal.append(["late\n"])).rejects.toThrow("another program has changed it while it was open");
  expect(readFileSync(path, "utf8")).toBe("header\nmine\ntheirs\n");
});
