// A shell on a stage: the real server and a real runtime process, in a folder of their own, with a page
// that is one line of HTML.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { WebSocket } from "ws";
import { startShell, type Shell, type ShellOptions } from "../../src/index.ts";
import { createDroppedFiles } from "../../src/server/dropped-files.ts";
import { startServer } from "../../src/server/http-server.ts";
import { readPageFiles } from "../../src/server/page-files.ts";
import { createTabs, type TabsOptions } from "../../src/server/tabs.ts";
import { builtHawser } from "../../../../test/kit/built-hawser.ts";

/** For a runtime that starts on a busy machine. */
export const patientMs = 150_000;

const launcher = builtHawser;

/** A runtime that does not behave; see the program. */
export const oddRuntime = (manner: string, count = 0): Partial<ShellOptions> => ({
  args: () => [resolve(import.meta.dirname, "../fixtures/odd-runtime.mjs"), manner, String(count)],
});

export interface Stage extends AsyncDisposable {
  readonly shell: Shell;
  readonly folder: string;
  readonly origin: string;
  /** Of a page that is in. */
  readonly credential: string;
  /** What that page's requests carry. */
  readonly own: { readonly authorization: string; readonly origin: string };
  readonly notices: string[];
  /** Where dropped files are kept. */
  readonly filesFolder: string;
  fetch(path: string, options?: RequestOptions): Promise<Answer>;
  /** The key of a new address. */
  newKey(): string;
  exchange(key: string): Promise<Answer>;
  /** A tab that shows the stage's credential, or another one. */
  connect(door?: Partial<LinkDoor>): Promise<Tab>;
}

export interface LinkDoor {
  readonly credential: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer | string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Tab {
  readonly frames: string[];
  readonly socket: WebSocket;
  send(request: object): void;
  /** The first frame that holds this text, also one that has already come. Rejects when the tab is closed and none has. */
  next(text: string): Promise<string>;
  close(): void;
}

export async function openStage(options: Partial<ShellOptions> = {}): Promise<Stage> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hawser-shell-")));
  writePage(folder);
  const notices: string[] = [];
  let filesFolder = "";
  const shell = await startShell({
    command: process.execPath,
    args: (files) => {
      filesFolder = files;
      return [launcher, "agent", "--model=offline", "--no-history", `--attachments=${files}`];
    },
    env: { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HAWSER_KEYCHAIN: "off" },
    cwd: folder,
    pageFolder: join(folder, "page"),
    readyMs: patientMs,
    onNotice: (text) => notices.push(text),
    ...options,
  }).catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  const { port } = shell;
  const origin = `http://127.0.0.1:${port}`;
  const credential = await enter(port, keyOf(shell.newAddress().url));
  return {
    shell,
    folder,
    origin,
    credential,
    own: { authorization: `Bearer ${credential}`, origin },
    notices,
    filesFolder,
    fetch: (path, request) => send(port, path, request),
    newKey: () => keyOf(shell.newAddress().url),
    exchange: (key) => exchange(port, key),
    connect: (door) => connectTab(port, { credential, headers: { origin }, ...door }),
    async [Symbol.asyncDispose]() {
      await shell.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const keyOf = (url: string): string => /#key=(.+)$/.exec(url)?.[1] ?? "";

const exchange = (port: number, key: string): Promise<Answer> =>
  send(port, "/credentials", { method: "POST", headers: { authorization: `Bearer ${key}`, origin: `http://127.0.0.1:${port}` } });

/** As a page does: the credential that a key is exchanged for. */
export async function enter(port: number, key: string): Promise<string> {
  const { status, body } = await exchange(port, key);
  expect(status, body).toBe(201);
  return (JSON.parse(body) as { credential: string }).credential;
}

function writePage(folder: string): void {
  mkdirSync(join(folder, "page", "assets"), { recursive: true });
  writeFileSync(join(folder, "page", "index.html"), "<!doctype html><title>page</title>");
  writeFileSync(join(folder, "page", "assets", "main.js"), "export {};");
  writeFileSync(join(folder, "secret.txt"), "not to be served");
}

/** The server alone, without a runtime, and with a time for requests that the test may choose. */
export async function openServer({ requestMs, send: take = async () => {} }: { requestMs?: number } & Partial<TabsOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "hawser-server-"));
  writePage(folder);
  const notices: string[] = [];
  const tabs = createTabs({ send: take });
  const files = createDroppedFiles();
  const onNotice = (text: string) => void notices.push(text);
  const server = await startServer({
    port: 0,
    page: readPageFiles(join(folder, "page")),
    files,
    tabs,
    onNotice,
    ...(requestMs && { requestMs }),
  });
  const { port } = server;
  const newKey = () => keyOf(server.newAddress().url);
  const fetch = (path: string, request?: RequestOptions) => send(port, path, request);
  return {
    door: { port, credential: await enter(port, newKey()) },
    origin: `http://127.0.0.1:${port}`,
    notices,
    server,
    tabs,
    fetch,
    newKey,
    exchange: (key: string) => exchange(port, key),
    isServed: async () => expect((await fetch("/")).status).toBe(200),
    async [Symbol.asyncDispose]() {
      tabs.close();
      await server.close();
      files.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The runtimes of this stage that run: children of this process that work in its folder. */
export function agentsOf({ folder }: Stage): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return state !== "Z" && Number(parent) === process.pid && readlinkSync(`/proc/${name}/cwd`) === folder;
      } catch {
        // Ended while it was looked at, or somebody else's.
        return false;
      }
    })
    .map(Number);
}

function send(port: number, path: string, { method = "GET", headers = {}, body }: RequestOptions = {}): Promise<Answer> {
  return new Promise((answer, fail) => {
    const request = httpRequest({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        answer({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString("utf8") }),
      );
    });
    request.on("error", fail);
    request.end(body);
  });
}

export async function connectTab(port: number, { credential, headers }: LinkDoor): Promise<Tab> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/link`, ["hawser", `hawser.key.${credential}`], { headers });
  const frames: string[] = [];
  let closed: string | undefined;
  let listeners: (() => void)[] = [];
  function tellAll(): void {
    const told = listeners;
    listeners = [];
    for (const tell of told) tell();
  }
  socket.on("message", (data: Buffer) => {
    frames.push(data.toString("utf8"));
    tellAll();
  });
  socket.on("close", (code, reason) => {
    closed = `${code} ${String(reason)}`;
    tellAll();
  });
  await new Promise<void>((opened, refused) => {
    socket.once("open", opened);
    socket.once("error", refused);
  });
  return {
    frames,
    socket,
    send: (request) => socket.send(JSON.stringify(request)),
    async next(text) {
      // Each frame is looked at once: a flood has thousands of them.
      for (let at = 0; ; at++) {
        while (at >= frames.length) {
          if (closed !== undefined) throw new Error(`the tab was closed (${closed}) before ${text} came`);
          await new Promise<void>((told) => listeners.push(told));
        }
        const frame = frames[at];
        if (frame?.includes(text)) return frame;
      }
    },
    close: () => socket.close(),
  };
}
