// The files of a running session, by their names, modes and contents, and whose they are.

import fs from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { describe, expect } from "vitest";
import { defineTool } from "@hawser/tools";
import { createIPCSession } from "../src/parent/session.ts";
import { connectClient } from "./fixtures/parent-client.ts";
import { echoTool, it } from "./fixtures/parent-it.ts";

const modeOf = (path: string): string => (fs.lstatSync(path).mode & 0o7777).toString(8);
const readSchemas = (path: string): unknown => JSON.parse(fs.readFileSync(path, "utf8"));

describe("files", () => {
  it("R1 R45 R48 R49 R51 H10 are a socket, a schema file and a private directory, by their names and modes", async ({ directory }) => {
    const umask = process.umask(0);
    try {
      await using session = createIPCSession([echoTool], { directory });
      await session.start();
      const uuid = /^claudecode_ipc_([0-9a-f]{32})\.sock$/.exec(basename(session.socketPath))?.[1];
      expect(fs.readdirSync(directory).toSorted()).toEqual([
        `claudecode_ipc_${uuid}.d`,
        `claudecode_ipc_${uuid}.sock`,
        `claudecode_ipc_schema_${uuid}.json`,
      ]);
      expect(fs.lstatSync(session.socketPath).isSocket()).toBe(true);
      expect([modeOf(session.socketPath), modeOf(session.schemaPath)]).toEqual(["600", "600"]);
      expect(modeOf(join(directory, `claudecode_ipc_${uuid}.d`))).toBe("700");
      expect(fs.readdirSync(join(directory, `claudecode_ipc_${uuid}.d`))).toEqual(["schema.json"]);
    } finally {
      process.umask(umask);
    }
  });

  it("R40 the schema file is 0600 also where the umask takes nearly everything", async ({ directory }) => {
    const umask = process.umask(0o777);
    try {
      await using session = createIPCSession([echoTool], { directory });
      await session.start();
      expect([modeOf(session.socketPath), modeOf(session.schemaPath)]).toEqual(["600", "600"]);
    } finally {
      process.umask(umask);
    }
  });

  it("R38 R39 R41 the schema file is a list of exactly name, description and input_schema", async ({ directory }) => {
    const plain = { type: "object", properties: { a: { type: "number" } }, required: ["a"] };
    await using session = createIPCSession([defineTool({ name: "add", description: "adds", input: plain, run: () => 0 }), echoTool], {
      directory,
    });
    await session.start();
    expect(readSchemas(session.schemaPath)).toEqual([
      { name: "add", description: "adds", input_schema: plain },
      { name: "echo", description: "the tool echo", input_schema: { type: "object" } },
    ]);
  });

  it("R38 output_schema and annotations are added only where they were given; concurrency stays here", async ({ directory }) => {
    const tool = defineTool({
      name: "full",
      description: "",
      input: {},
      output: { type: "object", properties: { n: { type: "number" } } },
      annotations: { readOnlyHint: true, title: "Full" },
      concurrency: 2,
      exclusiveGroup: "g",
      run: () => ({ n: 1 }),
    });
    await using session = createIPCSession([tool], { directory });
    await session.start();
    expect(readSchemas(session.schemaPath)).toEqual([
      {
        name: "full",
        description: "",
        input_schema: { type: "object" },
        output_schema: { type: "object", properties: { n: { type: "number" } } },
        annotations: { readOnlyHint: true, title: "Full" },
      },
    ]);
  });

  it("R42 R50 H10 stopping spares a file that somebody put in the place of ours", async ({ directory }) => {
    const session = createIPCSession([echoTool], { directory });
    await session.start();
    fs.unlinkSync(session.socketPath);
    fs.writeFileSync(session.socketPath, "somebody else's");
    await session.stop();
    expect(fs.readdirSync(directory)).toEqual([basename(session.socketPath)]);
  });

  it("SOK-15 a socket that is removed while it lives ends no connection", async ({ start, connect }) => {
    const session = await start([echoTool]);
    const client = await connect(session);
    fs.unlinkSync(session.socketPath);
    expect((await client.ask("echo", { n: 1 })).result?.structuredContent).toEqual({ n: 1 });
    await expect(connectClient(session.socketPath)).rejects.toThrow(/ENOENT/);
  });

  it("R55 H11 H12 starting removes what a killed session left long ago, and nothing that lives", async ({ directory, start, connect }) => {
    const live = await start([echoTool]);
    const dead = createIPCSession([], { directory });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(directory, "bound"), resolve));
    fs.linkSync(join(directory, "bound"), dead.socketPath);
    await new Promise((resolve) => server.close(resolve));
    fs.writeFileSync(dead.schemaPath, "[]");
    const longAgo = (Date.now() - 7_200_000) / 1_000;
    for (const path of [live.socketPath, live.schemaPath, dead.socketPath, dead.schemaPath]) fs.lutimesSync(path, longAgo, longAgo);
    await start([]);
    expect([dead.socketPath, dead.schemaPath].map((path) => fs.existsSync(path))).toEqual([false, false]);
    expect([live.socketPath, live.schemaPath].map((path) => fs.existsSync(path))).toEqual([true, true]);
    expect((await (await connect(live)).ask("echo", { n: 1 })).result?.structuredContent).toEqual({ n: 1 });
  });

  it("R56 ten thousand sessions have ten thousand names", () => {
    const paths = Array.from({ length: 10_000 }, () => createIPCSession([]).socketPath);
    expect(new Set(paths).size).toBe(10_000);
  });
});
