// A parent under test: a command that owns a socket and a schema file, and prints where they are. We are the bridge: the scenario's
// messages go over a connection to its socket, or over others that it opens. The command has its own temporary folder.

import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Readable } from "node:stream";
import { describeThrown, HawserError, isRecord } from "@hawser/protocol/internal";
import { connectSocket, SOCKET_FILE_PREFIX } from "@hawser/wire/internal/node";
import {
  inPrivateFolder,
  startCommand,
  toSubject,
  type CommandSubjectOptions,
  type OnClose,
  type StartCommand,
} from "./command-subject.ts";
import { excerptOfText } from "./excerpt.ts";
import { parseIfJson } from "./matchers.ts";
import { within } from "./receiver.ts";
import type { Channel, Session, Subject } from "./subject.ts";

export interface ParentSubjectOptions extends CommandSubjectOptions {
  /** How long the command may take to print its configuration. */
  readonly startMs?: number | undefined;
}

const defaultStartMs = 10_000;
const exitWaitMs = 5_000;
const maxConfigChars = 65_536;
// A parent need not read its stdin; SIGTERM tells it to end.
const stopTimes = { stopInputMs: 1, stopSignalMs: 2_000 };

export const parentSubject = (options: ParentSubjectOptions, start: StartCommand = startCommand): Subject =>
  toSubject(options, (setup = {}) =>
    inPrivateFolder(async (folder, onClose) => {
      const env = { ...(options.env ?? process.env), TMPDIR: folder };
      const session = await start({ ...stopTimes, ...options, env, umask: setup.umask });
      onClose(session.close);
      try {
        return { ...session, ...(await openParent(session, options.startMs ?? defaultStartMs, folder, onClose)) };
      } catch (error) {
        // Closed first, so that its last words are all there.
        await session.close();
        const stderr = session.lastWords();
        throw new HawserError("internal", `${describeThrown(error)}${stderr && `; its stderr: ${excerptOfText(stderr)}`}`, {
          cause: error,
        });
      }
    }),
  );

async function openParent(session: Session, startMs: number, folder: string, onClose: OnClose): Promise<Partial<Session>> {
  const configText = await readConfig(session, startMs);
  const config = JSON.parse(configText) as Config;
  const [socketPath = "", schemaPath = ""] = config.args.slice(-2);
  const connect = async (): Promise<Channel> => {
    const socket = await connectSocket(socketPath);
    onClose(() => Promise.resolve(void socket.destroy()));
    return { input: socket, output: socket };
  };
  return {
    ...(await connect()),
    connect,
    facts: () => ({
      config,
      configText,
      socket: factsOfFile(socketPath),
      schema: factsOfSchema(schemaPath),
      leftovers: readdirSync(folder).filter((name) => name.startsWith(SOCKET_FILE_PREFIX)),
    }),
  };
}

// --- configuration

interface Config {
  readonly args: readonly string[];
}

const isConfig = (value: unknown): value is Config =>
  isRecord(value) && Array.isArray(value["args"]) && value["args"].length >= 2 && value["args"].every((arg) => typeof arg === "string");

/** The first JSON value on its stdout, which may span several lines; the rest is read and dropped. */
async function readConfig({ output, process }: Session, startMs: number): Promise<string> {
  let text = "";
  let hasEnded = false;
  const printed = new Promise<string | undefined>((resolve) => {
    const onData = (chunk: string): void => {
      text += chunk;
      const config = findConfig(text);
      if (config === undefined && text.length <= maxConfigChars) return;
      output.off("data", onData).resume();
      resolve(config);
    };
    (output as Readable).setEncoding("utf8").on("data", onData);
    output.once("end", () => {
      hasEnded = true;
      resolve(undefined);
    });
  });
  const config = await within(printed, startMs);
  if (config !== undefined) return config;
  // Its output ends a moment before the process is gone.
  const exit = process && (await within(process.exited, hasEnded ? exitWaitMs : 1));
  const end = exit ? `it exited with ${exit.signal ?? `code ${exit.code}`}` : `it printed ${text === "" ? "nothing" : excerptOfText(text)}`;
  throw new HawserError(
    "internal",
    `no configuration within ${startMs} ms: the command prints {"type":"stdio","command":…,"args":[…, socket, schema]} on stdout; ${end}`,
  );
}

/** The first lines that together are a configuration. */
function findConfig(text: string): string | undefined {
  for (const { index } of text.matchAll(/\}\r?\n/g)) {
    const candidate = text.slice(0, index + 1);
    if (isConfig(parseIfJson(candidate))) return candidate.trim();
  }
  return undefined;
}

// --- files

function factsOfFile(path: string): { name: string; type: string; mode: string } | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  const type = stat.isSocket() ? "socket" : stat.isFile() ? "file" : "other";
  return { name: basename(path), type, mode: (stat.mode & 0o777).toString(8).padStart(3, "0") };
}

/** With its content, also by tool, since their order means nothing. */
function factsOfSchema(path: string): Readonly<Record<string, unknown>> | undefined {
  const facts = factsOfFile(path);
  if (facts?.type !== "file") return facts;
  let value: unknown;
  try {
    value = parseIfJson(readFileSync(path, "utf8"));
  } catch (error) {
    // A parent that ends may remove the file between two looks at it.
    if (isRecord(error) && error["code"] === "ENOENT") return undefined;
    throw error;
  }
  const tools = Array.isArray(value) ? value.filter(isRecord) : [];
  return { ...facts, value, byName: Object.fromEntries(tools.map((tool) => [String(tool["name"]), tool])) };
}
