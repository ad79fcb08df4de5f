// The sandbox against commands that want out. Where bubblewrap does not work, everything here is skipped with the reason.

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { createRoots } from "../../../src/tools/files/roots.ts";
import { createRunCommand } from "../../../src/tools/run-command.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../../src/tools/sandbox/sandbox.ts";
import { attempts, type Attempt } from "./escape-attempts.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "hawser-escape-")));
const [root, outside, home] = [join(base, "root"), join(base, "outside"), join(base, "home")] as const;
const shared = `hawser-escape-${process.pid}`;
const servers: Server[] = [];
let bystander: ChildProcess;
let variables: Record<string, string>;
let sharedMemory: string | undefined;
const hasPerl = existsSync("/usr/bin/perl");
const options: Omit<SandboxOptions, "mode"> = { home, hidden: [join(root, "data")] };
const sandbox = createSandbox({ ...options, mode: "require" });
const none = createSandbox({ ...options, mode: "off" });

async function listen(place: string | number): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.listen(typeof place === "number" ? { port: place, host: "127.0.0.1" } : place);
  servers.push(server);
  await once(server, "listening");
  return server;
}

beforeAll(async () => {
  await sandbox.whenKnown();
  for (const folder of [join(root, ".hawser"), join(root, "data/conversations"), outside, join(home, ".ssh")])
    mkdirSync(folder, { recursive: true });
  for (const [path, text] of [
    [join(root, ".hawser/agent.json"), "{}"],
    [join(root, "data/conversations/other.jsonl"), "secret"],
    [join(outside, "canary.txt"), "canary"],
    [join(home, ".ssh/id"), "secret"],
    [`/dev/shm/${shared}`, "shared"],
  ] as const)
    writeFileSync(path, text);
  bystander = spawn("sleep", ["600"], { stdio: "ignore" });
  if (hasPerl) sharedMemory = execFileSync("perl", ["-e", `print shmget(${process.pid}, 16, 0600 | 01000)`], { encoding: "utf8" });
  const [socket, abstract] = [join(base, "socket"), `\0hawser-escape-${process.pid}`];
  await listen(socket);
  await listen(abstract);
  const address = (await listen(0)).address();
  const port = typeof address === "object" && address ? String(address.port) : "";
  const names = { OUTSIDE: outside, PID: String(bystander.pid), SOCKET: socket, PORT: port, SHARED: shared, SHMKEY: String(process.pid) };
  // A variable can't hold the character that an abstract name begins with.
  variables = { ...names, ABSTRACT: abstract.slice(1), HOME: home };
});

afterAll(() => {
  bystander.kill("SIGKILL");
  for (const server of servers) server.close();
  if (sharedMemory !== undefined) execFileSync("perl", ["-e", `shmctl(${sharedMemory}, 0, 0)`]);
  rmSync(`/dev/shm/${shared}`, { force: true });
  rmSync(base, { recursive: true, force: true });
});

async function run(around: Sandbox, script: string): Promise<{ readonly stdout: string; readonly exitCode: number }> {
  const tool = createRunCommand({ roots: await createRoots([root]), allowedCommands: ["env"], sandbox: around });
  const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const context = { signal: new AbortController().signal, progress() {}, log() {}, client: undefined };
  return (await tool.run({ command: "env", args: [...given, "sh", "-c", script] } as never, context)) as {
    stdout: string;
    exitCode: number;
  };
}

/** What each of them prints, all in one sandbox: each start takes its time. */
async function runAll(around: Sandbox, all: readonly Attempt[]): Promise<ReadonlyMap<Attempt, string>> {
  const scripts = all.map(({ script }, at) => `echo "attempt ${at}"; ( ${script} ) 2>&1 < /dev/null; echo; echo "over ${at}"`);
  const { stdout } = await run(around, scripts.join("\n"));
  return new Map(all.map((attempt, at) => [attempt, stdout.split(`attempt ${at}\n`)[1]?.split(`over ${at}\n`)[0] ?? "it was not run"]));
}

const isTriedOutside = ({ outside: elsewhere }: Attempt): boolean =>
  elsewhere === "escapes" || (elsewhere === "escapes for root" && process.getuid?.() === 0);

function skipWithout(context: TestContext, needs?: Attempt["needs"]): void {
  const problem = sandbox.problem();
  if (problem !== undefined) context.skip(problem);
  if (needs === "perl" && !hasPerl) context.skip("there is no perl");
  if (needs === "unshare" && !existsSync("/usr/bin/unshare")) context.skip("there is no unshare");
}

describe("a command in the sandbox", () => {
  let [inside, elsewhere]: ReadonlyMap<Attempt, string>[] = [];
  beforeAll(async () => {
    if (sandbox.problem() !== undefined) return;
    inside = await runAll(sandbox, attempts);
    elsewhere = await runAll(none, attempts.filter(isTriedOutside));
  });

  it.for(attempts)("$name: it does not get out", (attempt, context) => {
    skipWithout(context, attempt.needs);
    expect(inside?.get(attempt)).toMatch(/^(?!it was not run)(?:(?!ESCAPED).)*$/s);
    if (isTriedOutside(attempt)) expect(elsewhere?.get(attempt)).toContain("ESCAPED");
  });

  it("leaves nothing running, whatever it does to be forgotten", async (context) => {
    skipWithout(context);
    const mark = `${600_000 + process.pid}`;
    await run(sandbox, `setsid env -i sleep ${mark} > /dev/null & setsid sh -c 'exec env -i sleep ${mark}' > /dev/null & sleep 0.01`);
    const isMarked = (pid: string): boolean => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8") === `sleep\0${mark}\0`;
      } catch {
        return false;
      }
    };
    expect(readdirSync("/proc").filter(isMarked)).toEqual([]);
  });

  it("works: it reads and writes its root, has an empty home and a folder for temporary files, and knows programs", async (context) => {
    skipWithout(context);
    const { stdout, exitCode } = await run(
      sandbox,
      'pwd; echo made > made; cat made; ls -A ~; t=$(mktemp) && echo "$t"; git --version > /dev/null && echo git',
    );
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${root}\nmade\n/tmp/\\S+\ngit\n`));
    expect(readFileSync(join(root, "made"), "utf8")).toBe("made\n");
    expect(readFileSync(join(outside, "canary.txt"), "utf8")).toBe("canary");
  });
});
