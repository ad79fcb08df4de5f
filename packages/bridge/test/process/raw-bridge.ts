// A bridge process and a client of bare lines: it sends what a test wants, right or wrong, and collects
// what comes back. It knows nothing of the MCP library.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

/** One JSON-RPC message as the bridge wrote it; tests reach into it. */
// oxlint-disable-next-line typescript/no-explicit-any -- the shape is what the tests are about
export type Message = any;

export interface BridgeOptions {
  /** Options of the bridge itself, in front of the two paths. */
  readonly options?: readonly string[];
  /** Added to the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** The whole environment, where nothing of ours may be in it. */
  readonly wholeEnv?: NodeJS.ProcessEnv;
}

export interface RawBridge {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly pid: number;
  /** Everything that was received, in order. */
  readonly messages: readonly Message[];
  /** Lines of stdout that are not JSON-RPC. */
  readonly noise: readonly string[];
  readonly stderr: string;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  write(line: string | Buffer): void;
  send(message: object): void;
  /** Resolves with the answer to this id; rejects when the process ends without one. */
  answerTo(id: string | number): Promise<Message>;
  request(method: string, params?: object): Promise<Message>;
  initialize(protocolVersion?: string): Promise<Message>;
  /** The result of `tools/call`. */
  call(name: string, args?: object): Promise<Message>;
  /** Sends `tools/call` and returns its id at once. */
  startCall(name: string, args?: object, meta?: object): number;
  cancel(id: string | number): void;
  /** Resolves when a message fits, looking also at what has come already. */
  until(fits: (message: Message) => boolean): Promise<Message>;
  /** Resolves when stderr holds this text. It comes another way than the answers, and may come after them. */
  whenLogged(text: string): Promise<void>;
}

export function startBridge(source: { command: string; args: readonly string[] }, options: BridgeOptions): RawBridge {
  const args = [...source.args.slice(0, -2), ...(options.options ?? []), ...source.args.slice(-2)];
  const env = options.wholeEnv ?? { ...process.env, ...options.env };
  const child = spawn(source.command, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  const messages: Message[] = [];
  // By id, since a thousand that wait would else look through a thousand messages at each line.
  const answers = new Map<unknown, Message>();
  const noise: string[] = [];
  const waiting = new Set<() => void>();
  let stderr = "";
  let lastId = 0;
  let hasEnded = false;
  const wake = (): void => {
    for (const look of [...waiting]) look();
  };
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    wake();
  });
  child.stdin.on("error", () => {});
  createInterface({ input: child.stdout, crlfDelay: Infinity }).on("line", (line) => {
    const message = readMessage(line);
    if (message === undefined) noise.push(line);
    else messages.push(message);
    if (message !== undefined && isAnswer(message) && !answers.has(message.id)) answers.set(message.id, message);
    wake();
  });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once("close", (code, signal) => {
      hasEnded = true;
      wake();
      resolve({ code, signal });
    }),
  );

  /** Resolves with what is found, sooner or later. */
  function find<Found>(search: () => Found | undefined, what: string): Promise<Found> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = search();
        if (found === undefined && !hasEnded) return;
        waiting.delete(look);
        if (found !== undefined) resolve(found);
        else reject(new Error(`the bridge ended without ${what}; stderr:\n${stderr.slice(-2_000)}`));
      };
      waiting.add(look);
      look();
    });
  }

  const until = (fits: (message: Message) => boolean): Promise<Message> => find(() => messages.find(fits), "the message");

  const bridge: RawBridge = {
    process: child,
    pid: child.pid ?? -1,
    messages,
    noise,
    get stderr() {
      return stderr;
    },
    exited,
    write: (line) => void (child.stdin.write(line), child.stdin.write("\n")),
    send: (message) => bridge.write(JSON.stringify({ jsonrpc: "2.0", ...message })),
    answerTo: (id) => find(() => answers.get(id), "the answer"),
    request(method, params) {
      const id = ++lastId;
      bridge.send({ id, method, ...(params && { params }) });
      return bridge.answerTo(id);
    },
    async initialize(protocolVersion = "2025-11-25") {
      const clientInfo = { name: "raw-client", version: "1.2.3" };
      const answer = await bridge.request("initialize", { protocolVersion, capabilities: {}, clientInfo });
      bridge.send({ method: "notifications/initialized" });
      return answer;
    },
    call: async (name, callArguments) => (await bridge.answerTo(bridge.startCall(name, callArguments))).result,
    startCall(name, callArguments = {}, meta) {
      const id = ++lastId;
      bridge.send({ id, method: "tools/call", params: { name, arguments: callArguments, ...(meta && { _meta: meta }) } });
      return id;
    },
    cancel: (requestId) => bridge.send({ method: "notifications/cancelled", params: { requestId } }),
    until,
    whenLogged: async (text) => void (await find(() => stderr.includes(text) || undefined, `the words ${JSON.stringify(text)}`)),
  };
  return bridge;
}

const isAnswer = (message: Message): boolean => "result" in message || "error" in message;

/** Undefined for a line that isn't a message. */
function readMessage(line: string): Message {
  try {
    const message: Message = JSON.parse(line);
    return message?.jsonrpc === "2.0" && ("method" in message || ("id" in message && ("result" in message || "error" in message)))
      ? message
      : undefined;
  } catch {
    return undefined;
  }
}
