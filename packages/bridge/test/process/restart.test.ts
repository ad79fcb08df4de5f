// A session with a name over restarts of its program: one configuration, one bridge process that the client keeps, and the tools of
// the program that runs. The programs are real and are killed; the clients are the official ones. Needs the build.

import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, vi } from "vitest";
import { createIPCSession } from "../../src/index.ts";
import { cacheHome, defineTool } from "./bridges.ts";
import { connectors, type OfficialClient } from "./official-clients.ts";
import { it as programsIt, type Program } from "./programs.ts";
import { bundledBridge } from "./raw-parent.ts";

interface Config {
  readonly command: string;
  readonly args: readonly string[];
}

/** What a client was told of its tools, in order. */
interface News {
  readonly told: readonly string[][];
  /** Resolves when it was told of exactly these. */
  until(names: readonly string[]): Promise<void>;
}

interface Helpers {
  /** Starts a program with one tool, which counts its calls, under the name `harbour`. Resolves when it serves. */
  launch(tool: string): Promise<{ program: Program; config: Config }>;
  connect(kind: string, config: Config): Promise<{ client: OfficialClient; news: News }>;
}

const it = programsIt.extend<Helpers>({
  launch: async ({ directory, run }, use) => {
    await use(async (tool) => {
      const file = join(directory, `${tool}.mjs`);
      fs.writeFileSync(file, programWith(tool, directory));
      const program = run(process.execPath, [file]);
      return { program, config: JSON.parse(await program.firstLine) as Config };
    });
  },
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of what a fixture needs from this pattern
  connect: async ({}, use) => {
    const clients: OfficialClient[] = [];
    await use(async (kind, config) => {
      const { news, onToolsChanged } = createNews();
      const client = await connectors[kind]!(config, { PATH: process.env["PATH"] ?? "", XDG_CACHE_HOME: cacheHome }, onToolsChanged);
      clients.push(client);
      return { client, news };
    });
    await Promise.all(clients.map((client) => client.close()));
  },
});

function programWith(tool: string, directory: string): string {
  const library = JSON.stringify(join(import.meta.dirname, "../../dist/index.js"));
  const options = JSON.stringify({ name: "harbour", directory, bridgeCommand: [process.execPath, bundledBridge] });
  return `import { createIPCSession, defineTool } from ${library};
let calls = 0;
const tool = { name: "${tool}", description: "", input: { type: "object" }, run: () => process.pid + " " + ++calls };
const session = createIPCSession([defineTool(tool)], ${options});
await session.start();
console.log(JSON.stringify(session.mcpServerConfig));
`;
}

function createNews(): { news: News; onToolsChanged(names: string[]): void } {
  const told: string[][] = [];
  const waiting = new Set<() => void>();
  const isLast = (names: readonly string[]): boolean => told.at(-1)?.join() === names.join();
  return {
    news: {
      told,
      until: (names) =>
        new Promise((resolve) => {
          const look = (): void => void (isLast(names) && resolve());
          waiting.add(look);
          look();
        }),
    },
    onToolsChanged(names) {
      told.push(names);
      for (const look of waiting) look();
    },
  };
}

const textOf = (result: { content: { text: string }[] }): string => result.content[0]!.text;
const namesOf = async (client: OfficialClient): Promise<string[]> => (await client.listTools()).map(({ name }) => name as string);

async function kill({ process, exited }: Program): Promise<void> {
  process.kill("SIGKILL");
  await exited;
}

describe.for(Object.keys(connectors))("a program that is killed and started again, with %s", (kind) => {
  it("H3 keeps its client: one error while it is away, then the new tools, and no call is made twice", async ({ launch, connect }) => {
    const first = await launch("one");
    const { client, news } = await connect(kind, first.config);
    expect(await namesOf(client)).toEqual(["one"]);
    expect(textOf(await client.callTool("one"))).toBe(`${first.program.pid} 1`);

    await kill(first.program);
    const failed = await client.callTool("one");
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toMatch(
      /^tool "one": the program that offers the tools isn't running; start it, then call again\. Its address is .*harbour\.sock$/,
    );
    expect(await namesOf(client)).toEqual(["one"]);

    const second = await launch("two");
    expect(second.config).toEqual(first.config);
    await news.until(["two"]);
    expect(textOf(await client.callTool("two"))).toBe(`${second.program.pid} 1`);
    expect(await namesOf(client)).toEqual(["two"]);
  });
});

describe("a client that is started first", () => {
  it("finds no tools, and is told of them when the program starts", async ({ directory, connect, launch }) => {
    const options = { name: "harbour", directory, bridgeCommand: [process.execPath, bundledBridge] } as const;
    const { mcpServerConfig } = createIPCSession([], options);
    const { client, news } = await connect("client 2 (initialize)", mcpServerConfig);
    expect(await namesOf(client)).toEqual([]);
    const { program } = await launch("late");
    await news.until(["late"]);
    expect(textOf(await client.callTool("late"))).toBe(`${program.pid} 1`);
  });
});

describe("node --watch", () => {
  it("restarts a program under the eyes of its client, which gets the new tools and keeps its configuration", async ({
    directory,
    run,
    connect,
  }) => {
    const file = join(directory, "program.mjs");
    fs.writeFileSync(file, programWith("before", directory));
    const watched = run(process.execPath, ["--watch", "--watch-preserve-output", file]);
    const { client, news } = await connect("sdk 1 (initialize)", JSON.parse(await watched.firstLine) as Config);
    expect(await namesOf(client)).toEqual(["before"]);
    await client.callTool("before");
    fs.writeFileSync(file, programWith("after", directory));
    await news.until(["after"]);
    expect(textOf(await client.callTool("after"))).toMatch(/^\d+ 1$/);
    watched.process.kill("SIGTERM");
    await watched.exited;
  });
});

describe("the name of a session", () => {
  const noop = defineTool({ name: "noop", description: "", input: { type: "object" }, run: () => "" });

  it("leads to a folder that only this user writes, whatever TMPDIR is", () => {
    const session = createIPCSession([noop], { name: "harbour" });
    const home = process.env["XDG_STATE_HOME"] ?? join(process.env["HOME"] ?? "", ".local", "state");
    expect(session.socketPath).toBe(join(home, "hawser", "harbour.sock"));
    expect(session.mcpServerConfig.args.slice(-3)).toEqual(["--follow", session.socketPath, session.schemaPath]);
  });

  it("is refused on Windows, where any user can take a named pipe first", ({ onTestFinished }) => {
    const platform = vi.spyOn(process, "platform", "get").mockReturnValue("win32");
    onTestFinished(() => platform.mockRestore());
    expect(() => createIPCSession([noop], { name: "harbour" })).toThrow("on Windows a session has no fixed name");
  });

  it.for(["", "a/b", "..", "a b", "x".repeat(65)])("may not be %j", (name) => {
    expect(() => createIPCSession([noop], { name })).toThrow(/the name of a session has letters, digits, _ and -/);
  });
});
