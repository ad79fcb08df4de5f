// One change of a file at a time: between processes, between PID namespaces, and over a holder that was killed.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { withFileLock } from "../../src/files/file-lock.ts";
import { staysSilent, createHolderName, describeHolder, judgeHolder } from "../../src/process/holder.ts";

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hawser-lock-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const inNamespace = ["unshare", "--pid", "--fork", "--kill-child"];
const source = fileURLToPath(new URL("../../src/files/file-lock.ts", import.meta.url));
const holding = `
  import { withFileLock } from ${JSON.stringify(source)};
  await withFileLock(process.argv[1], () => new Promise((resolve) => { console.log("held"); process.stdin.resume().on("end", resolve); }));`;

/** Another process, in a PID namespace of its own if that is asked for, that holds the lock until `letGo`. */
async function startHolder(path: string, wrapper: readonly string[]): Promise<{ letGo(): void; kill(): Promise<unknown> }> {
  const [command, ...args] = [...wrapper, process.execPath, "--conditions=hawser-source", "--input-type=module", "-e", holding, path];
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const line of createInterface({ input: child.stdout })) if (line === "held") break;
  return {
    letGo: () => child.stdin.end(),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

// Twice: with a /proc of its own, and with the one of outside, in which its pids are those of other processes.
it.for([["--mount-proc"], []])(
  "a lock is waited for although its process is of another PID namespace (unshare %j), and a holder there waits for one here",
  async (options, context) => {
    const wrapper = [...inNamespace, ...options];
    if (spawnSync(wrapper[0]!, [...wrapper.slice(1), "true"]).status !== 0)
      context.skip("this user can't make PID namespaces (unshare --pid --fork)");
    const path = join(freshFolder(), "lock");
    const holder = await startHolder(path, wrapper);
    const name = readFileSync(path, "utf8");
    expect(judgeHolder(name)).toBe("unsure");
    expect(describeHolder(name)).toMatch(/^process \d+ of another container or machine$/);
    // Older than what was enough before; it was touched within the last minute.
    const touchedAt = new Date(Date.now() - 40_000);
    utimesSync(path, touchedAt, touchedAt);
    const refusal = withFileLock(path, async () => "taken", 100);
    await expect(refusal).rejects.toMatchObject({
      code: "overloaded",
      message: expect.stringContaining("remove the file if it is gone") as string,
    });
    holder.letGo();
    await withFileLock(path, async () => {
      expect(judgeHolder(readFileSync(path, "utf8"))).toBe("alive");
      const rival = spawnSync(wrapper[0]!, [
        ...wrapper.slice(1),
        process.execPath,
        "--conditions=hawser-source",
        "--input-type=module",
        "-e",
        trying,
        path,
      ]);
      expect(rival.stdout.toString()).toBe("overloaded\n");
    });
    expect(readdirSync(join(path, ".."))).toEqual([]);
  },
);

const trying = `
  import { withFileLock } from ${JSON.stringify(source)};
  await withFileLock(process.argv[1], async () => console.log("taken"), 100).catch((error) => console.log(error.code));`;

it("G9 the lock of a killed process is taken over at once", async () => {
  const path = join(freshFolder(), "lock");
  const holder = await startHolder(path, []);
  await holder.kill();
  expect(judgeHolder(readFileSync(path, "utf8"))).toBe("gone");
  expect(await withFileLock(path, async () => "taken", 0)).toBe("taken");
});

it("a holder that was taken for dead leaves the lock alone that is another's by now", async () => {
  const path = join(freshFolder(), "lock");
  const other = createHolderName();
  await withFileLock(path, async () => writeFileSync(path, other));
  expect(readFileSync(path, "utf8")).toBe(other);
});

it("what is silent is watched before it counts as left behind: a machine that has slept wakes its processes together", async () => {
  const path = join(freshFolder(), "lock");
  writeFileSync(path, "");
  const before = new Date(Date.now() - 90_000);
  utimesSync(path, before, before);
  expect(await staysSilent(path, 1)).toBe(true);
  const beat = setInterval(() => utimesSync(path, new Date(), new Date()), 20);
  expect(await staysSilent(path, 300)).toBe(false);
  clearInterval(beat);
});
