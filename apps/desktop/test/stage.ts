// A machine for one app: a screen that nobody sees, a session bus, a home, and WebKit's driver behind Tauri's.
// The app is the one from the Debian package, with the runtime beside it. What was started is ended by its pid.

import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { listProcesses, treeOf, type ProcessFacts } from "./process-tree.ts";
import { openSession, type WebDriver } from "./web-driver.ts";

export interface DesktopStage extends AsyncDisposable {
  readonly driver: WebDriver;
  /** The folder in which the agent works. */
  readonly work: string;
  readonly folder: string;
  /** The app itself. */
  app(): ProcessFacts;
  /** The runtime that it has started. */
  runtime(): ProcessFacts | undefined;
  /** What the app has printed so far. */
  log(): string;
  /** Starts the same app again, for the same user; resolves with its exit code. */
  startAgain(): Promise<number | null>;
}

export interface StageOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: object;
}

const application = process.env["HAWSER_DESKTOP_APP"] ?? "";
const driverProgram = process.env["HAWSER_DESKTOP_DRIVER"] ?? "tauri-driver";

export async function openDesktop({ files = {}, settings = {} }: StageOptions = {}): Promise<DesktopStage> {
  const started: ChildProcess[] = [];
  const folder = mkdtempSync(join(tmpdir(), "hawser-desktop-"));
  const work = join(folder, "work");
  mkdirSync(work);
  for (const [name, content] of Object.entries(files)) writeInto(join(work, name), content);
  writeInto(
    join(folder, "config", "dev.hawser.desktop", "settings.json"),
    JSON.stringify({ model: "offline", roots: [work], ...settings }),
  );
  let text = "";

  function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv, extraPipe = false): ChildProcess {
    const child = spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe", ...(extraPipe ? ["pipe" as const] : [])] });
    started.push(child);
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    return child;
  }

  async function endAll(): Promise<void> {
    for (const child of started.toReversed()) await endProcess(child);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }

  try {
    const env = await startSurroundings(start, folder);
    const [port, nativePort] = [await freePort(), await freePort()];
    const driverProcess = start(driverProgram, ["--port", String(port), "--native-port", String(nativePort)], env);
    const driver = await retry(() => openSession(`http://127.0.0.1:${port}`, application));
    const own = (): ProcessFacts[] => treeOf(driverProcess.pid ?? 0);
    const app = (): ProcessFacts => own().find(({ program }) => program === application) ?? expect.fail(`the app does not run: ${text}`);
    return {
      driver,
      work,
      folder,
      app,
      runtime: () => listProcesses().find(({ parent, command }) => parent === app().pid && command.includes("hawser.mjs")),
      log: () => text,
      startAgain: () => new Promise((resolve) => start(application, [], env).once("close", resolve)),
      async [Symbol.asyncDispose]() {
        await driver.end().catch(() => {});
        await endAll();
      },
    };
  } catch (error) {
    await endAll();
    throw new Error(`${String(error)}\n${text}`, { cause: error });
  }
}

type Start = (command: string, args: readonly string[], env: NodeJS.ProcessEnv, extraPipe?: boolean) => ChildProcess;

/** The environment in which an app can show itself; neither keys nor settings of whoever runs the tests are in it. */
async function startSurroundings(start: Start, folder: string): Promise<NodeJS.ProcessEnv> {
  const runtimeDir = join(folder, "run");
  mkdirSync(runtimeDir, { mode: 0o700 });
  const base = {
    PATH: process.env["PATH"],
    HOME: folder,
    LANG: "C.UTF-8",
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_DATA_HOME: join(folder, "data"),
    XDG_CACHE_HOME: join(folder, "cache"),
    XDG_RUNTIME_DIR: runtimeDir,
    // No service for screen readers, and no graphics card.
    NO_AT_BRIDGE: "1",
    GDK_BACKEND: "x11",
    LIBGL_ALWAYS_SOFTWARE: "1",
    WEBKIT_DISABLE_DMABUF_RENDERER: "1",
    OLLAMA_HOST: "http://127.0.0.1:1",
  };
  // An app that was only compiled has no runtime beside it.
  const staged = process.env["HAWSER_DESKTOP_RUNTIME"];
  if (staged !== undefined) Object.assign(base, { HAWSER_DESKTOP_RUNTIME: staged });
  const screen = start("Xvfb", ["-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp"], base, true);
  const display = await firstLine(screen, 3);
  const bus = start("dbus-daemon", ["--session", "--nofork", "--print-address=3"], base, true);
  return { ...base, DISPLAY: `:${display}`, DBUS_SESSION_BUS_ADDRESS: await firstLine(bus, 3) };
}

function firstLine(child: ChildProcess, descriptor: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("error", reject).once("exit", (code) => reject(new Error(`${child.spawnfile} ended with ${code}`)));
    const stream = child.stdio[descriptor] as NodeJS.ReadableStream;
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("\n")) resolve(text.split("\n", 1)[0] ?? "");
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The two drivers take a moment until they listen. */
async function retry<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
      if (attempt === 50 || (code !== "ECONNREFUSED" && code !== "UND_ERR_SOCKET")) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
  await ended;
  clearTimeout(timer);
}

function writeInto(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content, { mode: 0o600 });
}
