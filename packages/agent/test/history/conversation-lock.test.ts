// RUN-07: two runtimes never share a conversation; the lock of a dead one is nobody's. With real processes.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createHolderName, isHolderAlive } from "../../src/history/process-identity.ts";
import { addTurn, freshStore, messagesOf, storeIn, temporaryFolder, user } from "./stores.ts";

const program = fileURLToPath(new URL("../fixtures/history-holder.ts", import.meta.url));

interface Holder {
  readonly pid: number;
  nextLine(): Promise<string>;
  send(line: string): void;
  kill(signal: NodeJS.Signals): Promise<void>;
  end(): Promise<void>;
}

function startHolder(folder: string, conversationId: string, mode = "hold"): Holder {
  const child = spawn(process.execPath, ["--conditions=hawser-source", program, folder, conversationId, mode], {
    stdio: ["pipe", "pipe", "inherit"],
  });
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
  const name = `${line}-${stat[21]}-0123456789abcdef`;
  expect(await isHolderAlive(name)).toBe(true);
  // As long as it is the shell, it may notice.
  while (readFileSync(`/proc/${parent.pid}/comm`, "utf8") !== "sleep\n") await new Promise((resolve) => setTimeout(resolve, 5));
  process.kill(Number(line), "SIGKILL");
  while (readFileSync(`/proc/${line}/stat`, "latin1").split(" ")[2] !== "Z") await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await isHolderAlive(name)).toBe(false);
});

it("RUN-07 a pid that is used again by another process does not hold a lock; names that are none are left alone", async () => {
  const { store, fileOf } = freshStore();
  const lock = `${fileOf("one")}.lock`;
  mkdirSync(lock);
  const name = await createHolderName();
  expect(await isHolderAlive(name)).toBe(true);
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
  const outcomes: string[] = [];
  for (let round = 0; round < 25; round++) {
    mkdirSync(`${fileOf("one")}.lock`, { recursive: true });
    writeFileSync(join(`${fileOf("one")}.lock`, `${dead.pid}-1-0123456789abcdef.held`), "");
    for (const rival of rivals) rival.send("now");
    const lines = await Promise.all(rivals.map((rival) => rival.nextLine()));
    outcomes.push(...lines);
    expect(lines).toContain("held");
  }
  // A second holder would say EEXIST.
  expect(outcomes.filter((line) => line !== "held" && !line.startsWith("overloaded: "))).toEqual([]);
  for (const rival of rivals) await rival.end();
});
