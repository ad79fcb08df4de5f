// A machine for apps: a screen that nobody sees, a session bus, and a home of its own. What was started is
// ended by its pid, and everything that was written is removed.

import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startedWith } from "./process-tree.ts";

export interface SurroundingsOptions {
  /** Files in the folder in which the agent works. */
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: object;
  /** Files below the machine's own folder. */
  readonly home?: Readonly<Record<string, string>>;
  /** Variables instead of the usual ones; undefined: not set. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A folder below the machine's own in which programs are looked for first. */
  readonly path?: string;
  /** The code of a stand-in for the runtime. */
  readonly runtime?: string;
}

export interface Surroundings extends AsyncDisposable {
  readonly folder: string;
  /** The folder in which the agent works. */
  readonly work: string;
  readonly env: NodeJS.ProcessEnv;
  start(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): ChildProcess;
  /** What everything that was started has printed so far. */
  log(): string;
}

/** The version that the app was built with, which its runtime must name. */
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8")) as { readonly version: string };

/** A stand-in for the runtime: it greets, and then does what is said. */
export const greeting = (rest: string): string =>
  `process.stdout.write(JSON.stringify({ type: "ready", version: "1.0.0", build: "${version}", timestamp: 0 }) + "\\n");\n(async () => {${rest}\n})();\n`;

export const application = process.env["HAWSER_DESKTOP_APP"] ?? "";

export async function prepare({
  files = {},
  settings = {},
  home = {},
  env: given = {},
  path,
  runtime,
}: SurroundingsOptions = {}): Promise<Surroundings> {
  const started: ChildProcess[] = [];
  const folder = mkdtempSync(join(tmpdir(), "hawser-desktop-"));
  const work = join(folder, "work");
  let text = "";
  mkdirSync(work);
  for (const [name, content] of Object.entries(files)) writeInto(join(work, name), content);
  const config = { "config/dev.hawser.desktop/settings.json": JSON.stringify({ model: "offline", roots: [work], ...settings }) };
  for (const [name, content] of Object.entries({ ...config, ...home })) writeInto(join(folder, name), content);
  if (runtime !== undefined) standIn(join(folder, "runtime"), runtime);

  function start(command: string, args: readonly string[], env = process.env): ChildProcess {
    const child = spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe", "pipe"] });
    started.push(child);
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    return child;
  }

  async function end(): Promise<void> {
    for (const child of started.toReversed()) await endProcess(child);
    await endLeftovers(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }

  try {
    const base = baseEnvironment(folder, runtime !== undefined);
    const screen = start("Xvfb", ["-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp"], base);
    const display = await firstLine(screen, 3);
    writeInto(join(folder, "bus.conf"), busConfiguration(folder));
    const bus = start("dbus-daemon", ["--config-file", join(folder, "bus.conf"), "--nofork", "--print-address=3"], base);
    const env: NodeJS.ProcessEnv = { ...base, DISPLAY: `:${display}`, DBUS_SESSION_BUS_ADDRESS: await firstLine(bus, 3), ...given };
    if (path !== undefined) env["PATH"] = `${join(folder, path)}:${env["PATH"]}`;
    return { folder, work, env, start, log: () => text, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw new Error(`${String(error)}\n${text}`, { cause: error });
  }
}

/** Neither keys nor settings of whoever runs the tests are in it. */
function baseEnvironment(folder: string, hasStandIn: boolean): NodeJS.ProcessEnv {
  const runtimeDir = join(folder, "run");
  mkdirSync(runtimeDir, { mode: 0o700 });
  // An app that was only compiled has no runtime beside it.
  const staged = hasStandIn ? join(folder, "runtime") : process.env["HAWSER_DESKTOP_RUNTIME"];
  return {
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
    // A key is tested as soon as it is saved, and none may leave this machine.
    OLLAMA_HOST: "http://127.0.0.1:1",
    ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
    OPENAI_BASE_URL: "http://127.0.0.1:1",
    ...(staged !== undefined && { HAWSER_DESKTOP_RUNTIME: staged }),
  };
}

/** A bus that starts no services of the real machine: those would take their time, and outlive the test. */
const busConfiguration = (folder: string): string => `<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=${folder}</listen>
  <servicedir>${join(folder, "data", "dbus-1", "services")}</servicedir>
  <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
</busconfig>
`;

/** Where the app looks for its runtime: these few lines, on the Node that runs the tests. */
function standIn(folder: string, code: string): void {
  writeInto(join(folder, "node_modules", "hawser", "bin", "hawser.cjs"), code);
  symlinkSync(process.execPath, join(folder, "node"));
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

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
  await ended;
  clearTimeout(timer);
}

/**
 * What those have started, and did not end with them: services of the bus, or the runtime of an app that was
 * killed, which would make its cache anew when the folder is gone. All of them have the folder in their variables.
 */
async function endLeftovers(folder: string): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    const left = startedWith(`${folder}/`);
    if (left.length === 0) return;
    for (const { pid } of left) tryToKill(pid);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`processes can't be ended: ${JSON.stringify(startedWith(`${folder}/`))}`);
}

function tryToKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

function writeInto(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content, { mode: 0o600 });
  if (content.startsWith("#!")) chmodSync(path, 0o700);
}
