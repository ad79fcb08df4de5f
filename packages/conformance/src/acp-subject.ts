// An ACP agent under test: a command that is the agent, with us as its client. Each scenario has private folders: the one that its
// sessions work in, with a file or two, another one beside it, and those for configuration and data. A second process of the agent can
// take the first one's place in the same folders.

import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inPrivateFolder, startCommand, toSubject, type CommandSubjectOptions, type StartCommand } from "./command-subject.ts";
import type { Channel, Session, Subject } from "./subject.ts";

/** What makes the agent do something. An empty text means that no prompt does. */
export interface AcpPrompts {
  /** Makes it answer with some text. */
  readonly prompt: string;
  /** Makes it list the files of the session's folder with a tool. */
  readonly toolPrompt: string;
  /** Makes it ask for permission, and with it change a file in the session's folder. */
  readonly permissionPrompt: string;
  /** Makes a turn that lasts until it is cancelled, or at least some seconds. */
  readonly slowPrompt: string;
}

export interface AcpSubjectOptions extends CommandSubjectOptions {
  readonly prompts?: Partial<AcpPrompts> | undefined;
  /** A folder whose content is copied into the folder of every session. */
  readonly folder?: string | undefined;
}

/** They fit an agent with Hawser's offline model: its question for permission waits as long as we like. */
const defaultPrompts: AcpPrompts = {
  prompt: "Hello",
  toolPrompt: "list the files here",
  permissionPrompt: 'write "hello" to hawser-conform-note.txt',
  slowPrompt: 'write "hello" to hawser-conform-slow.txt',
};

const notes = "hawser-conform-notes.txt";

/** `start` is for tests. */
export const acpSubject = (options: AcpSubjectOptions, start: StartCommand = startCommand): Subject => {
  const { prompts, folder: template, ...command } = options;
  return toSubject(command, () =>
    inPrivateFolder(async (privateFolder, onClose) => {
      const folder = realpathSync(privateFolder);
      const { cwd, otherFolder } = makeFolders(folder, template);
      const server = makeMcpServer(folder);
      const before = look(cwd);
      // A free model that answers at once, if the command has one; any other will do.
      const env = { HAWSER_MODEL: "offline", ...(command.env ?? process.env), XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
      let running: Session | undefined;
      const begin = async (): Promise<Session> => {
        await running?.close();
        return (running = await start({ ...command, env }));
      };
      onClose(async () => running?.close());
      const session = await begin();
      return {
        ...session,
        process: processOf(() => running ?? session),
        given: { cwd, otherFolder, fileUri: pathToFileURL(join(cwd, notes)).href, mcpServer: server.entry, ...defaultPrompts, ...prompts },
        lastWords: () => running?.lastWords() ?? "",
        // One process at a time: what one wrote, the next must find.
        connect: async (): Promise<Channel> => begin(),
        facts: () => ({ changes: findChanges(before, look(cwd)), mcpMethods: server.methods() }),
      };
    }),
  );
};

type SubjectProcess = NonNullable<Session["process"]>;

/** The process that runs now, which may not be the first. */
function processOf(current: () => Session): SubjectProcess {
  const now = (): SubjectProcess => current().process as SubjectProcess;
  return {
    get pid() {
      return now().pid;
    },
    get exited() {
      return now().exited;
    },
    kill: (signal) => now().kill(signal),
  };
}

function makeFolders(folder: string, template: string | undefined): { readonly cwd: string; readonly otherFolder: string } {
  const cwd = join(folder, "work");
  const otherFolder = join(folder, "other");
  for (const path of [cwd, otherFolder]) mkdirSync(path);
  if (template !== undefined) cpSync(template, cwd, { recursive: true });
  writeFileSync(join(cwd, notes), "Salt and pepper.\n");
  writeFileSync(join(cwd, "README.md"), "# A folder for a conformance test\n");
  writeFileSync(join(otherFolder, "more.txt"), "Flour.\n");
  return { cwd, otherFolder };
}

type Look = ReadonlyMap<string, string>;

/** The names at the top of a folder, each with what changes when it does. */
function look(folder: string): Look {
  const entries = readdirSync(folder).map((name): [string, string] => {
    const { size, mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
    return [name, `${size} ${mtimeMs}`];
  });
  return new Map(entries);
}

const findChanges = (before: Look, now: Look): readonly string[] =>
  [...new Set([...before.keys(), ...now.keys()])].filter((name) => before.get(name) !== now.get(name));

/** A program that a session can be given as its MCP server. It writes down what it is asked, where its variable says. */
function makeMcpServer(folder: string) {
  const script = join(folder, "mcp-server.mjs");
  const log = join(folder, "mcp-methods.txt");
  writeFileSync(script, mcpServerProgram);
  writeFileSync(log, "");
  const env = [{ name: "HAWSER_CONFORM_LOG", value: log }];
  return {
    entry: { name: "hawser-conform", command: process.execPath, args: [script, "--stdio"], env },
    methods: (): readonly string[] => readFileSync(log, "utf8").split("\n").filter(Boolean),
  };
}

const mcpServerProgram = `
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
const inputSchema = { type: "object", properties: {} };
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "hawser-conform", version: "1.0.0" } }),
  "tools/list": () => ({ tools: [{ name: "conform_salt", description: "Says salt.", inputSchema }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "salt" }] }),
  ping: () => ({}),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (process.argv[2] === "--stdio") appendFileSync(process.env.HAWSER_CONFORM_LOG, method + "\\n");
  if (id === undefined) continue;
  const outcome = results[method] ? { result: results[method](params ?? {}) } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }) + "\\n");
}
`;
