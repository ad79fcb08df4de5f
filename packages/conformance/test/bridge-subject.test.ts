// What a bridge under test is given, what is seen of it, and that nothing is left of it.

import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { bridgeSubject } from "../src/bridge-subject.ts";
import type { CommandSubjectOptions, Session, Setup } from "../src/index.ts";
import { textFrame } from "../src/pieces.ts";
import { toBytes } from "../src/pieces.ts";

const echoes = { when: { text: { $bind: "text" } }, send: { back: { $same: "text" } } };

/** A session around nothing, and what the command would have been started with. */
async function open(args: readonly string[], setup: Setup = {}): Promise<Session & { args: readonly string[]; env: NodeJS.ProcessEnv }> {
  let given: CommandSubjectOptions | undefined;
  const subject = bridgeSubject({ command: "bridge", args }, (options) => {
    given = options;
    return Promise.resolve({
      input: new PassThrough(),
      output: new PassThrough(),
      lastWords: () => "words",
      close: () => Promise.resolve(),
    });
  });
  const session = await subject.open(setup);
  return { ...session, args: given?.args ?? [], env: given?.env ?? {} };
}

const frame = (value: object): Buffer => toBytes(textFrame(JSON.stringify(value)));
const read = (socket: Socket): Promise<string> =>
  new Promise((resolve) => socket.once("data", (chunk: Buffer) => resolve(chunk.toString("utf8", 4))));

describe("bridgeSubject", () => {
  it.each<[string, string[], number | undefined, string[]]>([
    ["replaces the placeholders", ["--s={socket}", "x", "{schema}"], undefined, ["--s=SOCKET", "x", "SCHEMA"]],
    ["adds the paths where there are none", ["run"], undefined, ["run", "SOCKET", "SCHEMA"]],
    ["adds the one that is missing", ["{schema}"], undefined, ["SCHEMA", "SOCKET"]],
    ["leaves out both", ["run", "{socket}", "{schema}"], 0, ["run"]],
    ["leaves out the second", ["run"], 1, ["run", "SOCKET"]],
    ["adds a third", ["run"], 3, ["run", "SOCKET", "SCHEMA", "SCHEMA.3"]],
  ])("%s", async (_, args, paths, expected) => {
    const session = await open(args, { schema: [], ...(paths !== undefined && { paths: paths as 0 }) });
    const folder = session.env["TMPDIR"] ?? "";
    const shown = session.args.map((arg) =>
      arg.replace(/\/.*\/claudecode_ipc_[0-9a-f]{32}\.sock/, "SOCKET").replace(/\/.*\/claudecode_ipc_schema_[0-9a-f]{32}\.json/, "SCHEMA"),
    );
    expect(shown).toEqual(expected);
    await session.close();
    expect(existsSync(folder)).toBe(false);
  });

  it("R40: gives it a folder of its own with a socket and a schema file that only this user can use", async () => {
    const session = await open([], { schemaBytes: { utf8: "[1" } });
    const [socket = "", schema = ""] = session.args;
    const modes = [dirname(socket), socket, schema].map((path) => (lstatSync(path).mode & 0o777).toString(8));
    expect(modes).toEqual(["700", "600", "600"]);
    expect(readFileSync(schema, "utf8")).toBe("[1");
    session.removeSchema?.();
    expect(existsSync(schema)).toBe(false);
    await session.close();
    expect(existsSync(dirname(socket))).toBe(false);
  });

  it("makes neither file where the scenario says so", async () => {
    const session = await open([], { listen: false });
    expect(readdirSync(session.env["TMPDIR"] ?? "")).toEqual([]);
    expect(session.facts?.()).toEqual({ connections: 0, open: 0, requests: [], stderr: "words" });
    await session.close();
  });

  it("removes everything when the command can't be started", async () => {
    let folder = "";
    const subject = bridgeSubject({ command: "bridge" }, ({ env }) => {
      folder = env?.["TMPDIR"] ?? "";
      return Promise.reject(new Error("no such program"));
    });
    await expect(subject.open({ schema: [] })).rejects.toThrow("no such program");
    expect([folder.length > 0, existsSync(folder)]).toEqual([true, false]);
  });
});

describe("the parent that we play", () => {
  async function talk(setup: Setup, use: (socket: Socket, session: Session) => Promise<void>): Promise<void> {
    const session = await open([], setup);
    const socket = connect(session.args[0] ?? "").on("error", () => {});
    try {
      await use(socket, session);
    } finally {
      socket.destroy();
      await session.close();
    }
  }

  it("answers as the scenario says, and keeps what came", async () => {
    const aside = { when: { hello: 1 }, send: { no: 1 }, aside: true as const };
    await talk({ answers: [aside, echoes] }, async (socket, session) => {
      socket.write(frame({ hello: 1 }));
      expect(await read(socket)).toBe('{"no":1}');
      socket.write(frame({ text: "é" }));
      expect(await read(socket)).toBe('{"back":"é"}');
      expect(session.facts?.()).toMatchObject({ connections: 1, open: 1, requests: [{ text: "é" }] });
      expect(session.faults?.()).toEqual([]);
    });
  });

  it.each<[string, readonly Buffer[], RegExp]>([
    [
      "R7 R8: a second request before the answer",
      [frame({ text: "a" }), frame({ text: "b" })],
      /^a second request .*: \{"text":"b"\} while \{"text":"a"\} waits$/,
    ],
    ["R32: a frame that is no JSON", [toBytes(textFrame("{"))], /^a frame that can't be read \(.*\): \{$/],
    ["R10: a length that is too large", [Buffer.from([255, 255, 255, 255])], /^a frame that can't be read \(frame of 4294967295 bytes/],
    [
      "R12: a request that no answer is for",
      [frame({ method: "list_tools" })],
      /^a request that nothing asked for: \{"method":"list_tools"\}$/,
    ],
  ])("%s is a fault", async (_, frames, words) => {
    await talk({ answers: [echoes] }, async (socket, session) => {
      socket.write(Buffer.concat(frames));
      await new Promise((resolve) => socket.once("close", resolve));
      expect(session.faults?.()).toEqual([expect.stringMatching(words)]);
    });
  });

  it("closes a connection after what it had to send", async () => {
    await talk({ answers: [{ ...echoes, close: true }] }, async (socket, session) => {
      socket.write(frame({ text: "x" }));
      const [answer] = await Promise.all([read(socket), new Promise((resolve) => socket.once("close", resolve))]);
      expect(answer).toBe('{"back":"x"}');
      expect(session.facts?.()).toMatchObject({ connections: 1, open: 0 });
    });
  });
});
