// G9 Temporary folders go with their process, or with the next start of the same user.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createHolderName } from "../../src/process/holder.ts";

const source = fileURLToPath(new URL("../../src/files/private-folder.ts", import.meta.url));
const program = (afterwards: string): string[] => [
  "--conditions=hawser-source",
  "--input-type=module",
  "-e",
  `import { createPrivateFolder } from ${JSON.stringify(source)}; const { path } = createPrivateFolder("demo"); console.log(path); ${afterwards}`,
];

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hawser-tmp-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it("G9 the folder of a killed process is removed by the next start, one of a living process or of another container is not, until it was silent for a day", async () => {
  const TMPDIR = freshFolder();
  const env = { ...process.env, TMPDIR };
  const living = spawn(process.execPath, program("setInterval(() => {}, 1000);"), { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void living.kill("SIGKILL"));
  const exited = once(living, "exit");
  const [path] = (await once(living.stdout, "data")) as [Buffer];
  expect(statSync(path.toString().trim()).mode & 0o777).toBe(0o700);
  expect(spawnSync(process.execPath, program('process.kill(process.pid, "SIGKILL");'), { env }).signal).toBe("SIGKILL");
  expect(readdirSync(TMPDIR)).toHaveLength(2);
  const foreign = ["young", "old"].map(() => join(TMPDIR, `hawser-demo-${createHolderName().replace(/-[0-9a-f]{8}-/, "-ffffffff-")}`));
  for (const folder of foreign) mkdirSync(folder);
  utimesSync(foreign[1]!, 1, 1);
  mkdirSync(join(TMPDIR, "hawser-demo-mine"));
  execFileSync(process.execPath, program(""), { env });
  expect(
    readdirSync(TMPDIR)
      .map((name) => join(TMPDIR, name))
      .toSorted(),
  ).toEqual([path.toString().trim(), foreign[0]!, join(TMPDIR, "hawser-demo-mine")].toSorted());
  living.kill("SIGTERM");
  await exited;
  expect(existsSync(path.toString().trim())).toBe(false);
});

it("H20 the folder of a conformance run, in which sockets are made, is elsewhere where TMPDIR is too long for them", () => {
  const TMPDIR = join(freshFolder(), "x".repeat(60));
  mkdirSync(TMPDIR);
  const run = (kind: string): string =>
    execFileSync(
      process.execPath,
      program("").map((part) => part.replace('"demo"', `"${kind}"`)),
      { env: { ...process.env, TMPDIR } },
    ).toString();
  expect(run("demo").startsWith(TMPDIR)).toBe(true);
  expect(run("conform").startsWith(TMPDIR)).toBe(false);
});
