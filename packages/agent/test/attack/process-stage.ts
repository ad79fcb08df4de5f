// The real `hawser agent` as a process under attack: in a folder of its own, with a home of its own and no
// keys. Whatever it writes is collected; nothing that it leaves behind survives the tests.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { builtHawser } from "../../../../test/kit/built-hawser.ts";

const launcher = builtHawser;
export const hostileTools = fileURLToPath(new URL("fixtures/hostile-tools.ts", import.meta.url));

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into responses without ceremony
export type Response = Record<string, any>;

export interface Place extends Disposable {
  readonly folder: string;
  readonly home: string;
  /** Where the conversations, the audit log and the rules are. */
  readonly data: string;
  readonly env: NodeJS.ProcessEnv;
  remove(): void;
}

/** A working folder with these files, and a home with this configuration. */
export function makePlace(files: Readonly<Record<string, string>> = {}, config?: object): Place {
  const root = mkdtempSync(join(tmpdir(), "hawser-attack-"));
  const [folder, home] = [join(root, "work"), join(root, "home")];
  for (const path of [folder, home]) mkdirSync(path);
  for (const [path, content] of Object.entries(files)) put(join(folder, path), content);
  if (config) put(join(home, "config", "hawser", "agent.json"), JSON.stringify(config));
  const data = join(home, "data", "hawser");
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  return { folder, home, data, env: environmentOf(home), remove, [Symbol.dispose]: remove };
}

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function environmentOf(home: string): NodeJS.ProcessEnv {
  const unset = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "HAWSER_MODEL", "HAWSER_DEBUG", "NODE_OPTIONS"];
  return {
    ...process.env,
    ...Object.fromEntries(unset.map((name) => [name, undefined])),
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_DATA_HOME: join(home, "data"),
    OLLAMA_HOST: "http://127.0.0.1:1",
  };
}

export interface Victim {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly responses: Response[];
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** When it is gone, and all that it wrote has been read. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  send(...requests: readonly object[]): void;
  write(bytes: string | Buffer): Promise<void>;
  next(fits: (response: Response) => boolean): Promise<Response>;
  endOf(id: string): Promise<Response>;
  of(id: string): Response[];
  /** Whether it still answers. */
  isAlive(): Promise<boolean>;
  /** The largest that it has been, in megabytes. */
  peakMegabytes(): number;
  /** Ends the input and waits for its exit. */
  finish(): Promise<number | null>;
}

export interface StartOptions {
  readonly args?: readonly string[];
  readonly nodeArgs?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** False: nobody reads its stdout, until somebody calls `process.stdout.resume()`. */
  readonly isRead?: boolean;
  readonly isLogRead?: boolean;
}

export const isEnd = ({ type }: Response): boolean => type === "done" || type === "error" || type === "status";

export const agentCommand = (args: readonly string[]): [string, ...string[]] => [process.execPath, launcher, "agent", ...args];

export function startAgent(place: Place, options: StartOptions = {}): Victim {
  const args = [...(options.nodeArgs ?? []), launcher, "agent", ...(options.args ?? ["--model", "offline"])];
  const child = spawn(process.execPath, args, {
    cwd: place.folder,
    env: { ...place.env, ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const responses: Response[] = [];
  const out = collect(child.stdout, (line) => responses.push(JSON.parse(line) as Response));
  const log = collect(child.stderr);
  if (options.isRead === false) child.stdout.pause();
  if (options.isLogRead === false) child.stderr.pause();
  child.stdin.on("error", () => {});
  let listeners: (() => void)[] = [];
  let isClosed = false;
  const tell = (): void => {
    const told = listeners;
    listeners = [];
    for (const listener of told) listener();
  };
  child.stdout.on("data", tell);
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    // Not "exit": what it wrote last may still be in the pipe then.
    child.once("close", (code, signal) => {
      isClosed = true;
      resolve({ code, signal });
      tell();
    }),
  );

  async function next(fits: (response: Response) => boolean): Promise<Response> {
    for (;;) {
      const found = responses.find(fits);
      if (found) return found;
      if (isClosed) throw new Error(`it has ended without that answer: ${log().slice(-2_000)}`);
      await new Promise<void>((resolve) => listeners.push(resolve));
    }
  }

  let probes = 0;
  return {
    process: child,
    responses,
    stdout: out,
    stderr: log,
    exited,
    send: (...requests) => void child.stdin.write(requests.map((request) => `${JSON.stringify(request)}\n`).join("")),
    write: (bytes) =>
      new Promise((resolve) => {
        if (child.stdin.write(bytes)) resolve();
        else child.stdin.once("drain", resolve).once("close", resolve);
      }),
    next,
    endOf: (id) => next((response) => response["id"] === id && isEnd(response)),
    of: (id) => responses.filter((response) => response["id"] === id),
    async isAlive() {
      const id = `probe-${probes++}`;
      child.stdin.write(`${JSON.stringify({ id, kind: "get_status" })}\n`);
      const answer = await Promise.race([next((response) => response["id"] === id), sleep(40_000, undefined, { ref: false })]);
      return answer?.["type"] === "status";
    },
    peakMegabytes: () => peakOf(child.pid as number),
    async finish() {
      child.stdin.end();
      return (await exited).code;
    },
  };
}

function collect(stream: Readable, onLine?: (line: string) => void): () => string {
  const whole: string[] = [];
  let rest = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    whole.push(chunk);
    if (!onLine) return;
    // A line of megabytes comes in many chunks: looked through once, when it is there.
    rest += chunk;
    if (!chunk.includes("\n")) return;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
  return () => whole.join("");
}

function peakOf(pid: number): number {
  try {
    const [, kilobytes = "0"] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return 0;
  }
}

/** Processes whose command line or environment names this text. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const all = readFileSync(`/proc/${name}/cmdline`, "utf8") + readFileSync(`/proc/${name}/environ`, "utf8");
      return all.includes(text) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Every id that was answered has exactly one end, and nothing came after it. */
export function checkEnds(responses: readonly Response[]): void {
  const ended = new Set<string>();
  for (const response of responses) {
    const { id } = response;
    if (id === undefined) continue;
    if (ended.has(id)) throw new Error(`after the end of ${id}: ${JSON.stringify(response).slice(0, 300)}`);
    if (isEnd(response)) ended.add(id);
  }
}

export const say = (id: string, message: string, conversationId?: string): object => ({
  id,
  kind: "user_message",
  message,
  ...(conversationId !== undefined && { metadata: { conversationId } }),
});
