// `hawser shell` as a process, in a folder of its own, which is also its home and where it puts what is
// temporary: so that whatever it leaves can be seen.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { startChild, type ChildExit, type PipedChild } from "@hawser/wire/node";
import { expect } from "vitest";
import { builtHawser } from "../../../test/kit/built-hawser.ts";

const launcher = builtHawser;

export interface ShellStage extends AsyncDisposable {
  /** In which the agent works. */
  readonly folder: string;
  /** Where the user's configuration is looked for. */
  readonly configFolder: string;
  start(...args: string[]): Promise<RunningShell>;
  /** To its own end. */
  run(...args: string[]): Promise<ChildExit & { readonly stderr: string }>;
  /** To the end that a Ctrl-C makes. */
  interrupt(afterMs: number, ...args: string[]): Promise<ChildExit>;
  /** Ends all that run. */
  stopAll(): Promise<void>;
  /** What it has put among temporary files. */
  folders(): string[];
  /** Runtimes of this stage that run. */
  agents(): string[];
  leftovers(): string[];
}

export interface RunningShell {
  readonly child: PipedChild;
  readonly url: URL;
  stdout(): string;
  stderr(): string;
  /** Says something as the page would, and collects what comes until the turn has ended. */
  converse(message: string): Promise<string>;
  /** Sends a request as the page would, and gives its answer. */
  ask(request: object): Promise<unknown>;
  /** How the runtime is, as a tab hears first. */
  firstFrame(): Promise<unknown>;
}

export function openShellStage(changes: NodeJS.ProcessEnv = {}): ShellStage {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "hawser-cli-")));
  const [folder, temporary] = [join(home, "work"), join(home, "tmp")];
  for (const path of [folder, temporary]) mkdirSync(path);
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home, TMPDIR: temporary, BROWSER: "none", ...changes };
  const children: PipedChild[] = [];

  async function launch(args: readonly string[], onStderr: (text: string) => void): Promise<PipedChild> {
    const words = [launcher, "shell", "--model", "offline", ...args];
    const child = await startChild({
      command: process.execPath,
      args: words,
      cwd: folder,
      env,
      stdio: "pipe",
      onStderr: (chunk) => onStderr(String(chunk)),
    });
    children.push(child);
    return child;
  }

  async function stopAll(): Promise<void> {
    await Promise.all(children.map((child) => child.stop()));
  }

  const folders = (): string[] => readdirSync(temporary);
  const agents = (): string[] =>
    readdirSync("/proc").filter(
      (pid) => /^\d+$/.test(pid) && commandLineOf(pid).includes("\0agent\0") && environmentOf(pid).includes(home),
    );

  return {
    folder,
    configFolder: home,
    async start(...args) {
      let [stdout, stderr] = ["", ""];
      const child = await launch(args, (text) => (stderr += text));
      child.stdout.on("data", (chunk) => (stdout += String(chunk)));
      await expect.poll(() => stdout + stderr, { timeout: 60_000 }).toMatch(/\n/);
      expect(stdout, stderr).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#key=[\w-]{43}\n$/);
      const url = new URL(stdout.trim());
      let entering: Promise<string> | undefined;
      // As a page: the key is exchanged once, and what it gives is used from then on.
      const open = async () => openSocket(url, await (entering ??= enter(url)));
      return {
        child,
        url,
        stdout: () => stdout,
        stderr: () => stderr,
        converse: async (message) => converse(await open(), message),
        ask: async (request) => ask(await open(), request),
        firstFrame: async () => firstFrame(await open()),
      };
    },
    async run(...args) {
      let stderr = "";
      const child = await launch(args, (text) => (stderr += text));
      return { ...(await child.exited), stderr };
    },
    async interrupt(afterMs, ...args) {
      const child = await launch(args, () => {});
      await wait(afterMs);
      child.kill("SIGINT");
      return child.exited;
    },
    stopAll,
    folders,
    agents,
    leftovers: () => [...folders(), ...agents()],
    async [Symbol.asyncDispose]() {
      await stopAll();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The credential that the key of an address is exchanged for. */
export async function enter({ hash, origin }: URL): Promise<string> {
  const headers = { authorization: `Bearer ${hash.slice("#key=".length)}`, origin };
  const answer = await fetch(`${origin}/credentials`, { method: "POST", headers });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { credential: string }).credential;
}

function openSocket({ host, origin }: URL, credential: string): WebSocket {
  // Node's own takes headers, which its types do not know.
  const Socket = WebSocket as unknown as new (address: string, options: object) => WebSocket;
  return new Socket(`ws://${host}/link`, { protocols: ["hawser", `hawser.key.${credential}`], headers: { origin } });
}

async function firstFrame(socket: WebSocket): Promise<unknown> {
  const frame = await new Promise<string>((told) => socket.addEventListener("message", ({ data }) => told(String(data)), { once: true }));
  socket.close();
  return JSON.parse(frame.slice(1));
}

async function converse(socket: WebSocket, message: string): Promise<string> {
  let said = "";
  await new Promise<void>((ended, failed) => {
    socket.addEventListener("error", () => failed(new Error("the socket failed")));
    socket.addEventListener("message", ({ data }) => {
      const frame = String(data);
      if (frame.includes('"ready"')) socket.send(JSON.stringify({ id: "t1", kind: "user_message", message }));
      if (frame.includes('"token"')) said += (JSON.parse(frame.slice(1)) as { token: string }).token;
      if (/"type":"(?:tool_result|error)"/.test(frame)) said += frame;
      if (/"type":"(?:done|error)"/.test(frame)) ended();
    });
  });
  socket.close();
  return said;
}

async function ask(socket: WebSocket, request: object): Promise<unknown> {
  const answer = await new Promise<unknown>((answered, failed) => {
    socket.addEventListener("error", () => failed(new Error("the socket failed")));
    socket.addEventListener("message", ({ data }) => {
      const frame = String(data);
      if (frame.includes('"ready"')) socket.send(JSON.stringify({ id: "a1", ...request }));
      const event = JSON.parse(frame.slice(1)) as { id?: string };
      if (event.id === "a1") answered(event);
    });
  });
  socket.close();
  return answer;
}

const commandLineOf = (pid: string): string => readOrNothing(`/proc/${pid}/cmdline`);
const environmentOf = (pid: string): string => readOrNothing(`/proc/${pid}/environ`);

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Ended while it was looked at, or somebody else's.
    return "";
  }
}
