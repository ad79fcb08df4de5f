// `hawser echo` on stdin and stdout and on a socket, as a real process that is started, used and ended.

import { existsSync, lstatSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { connectSocket, createStreamTransport, lengthPrefix } from "@hawser/wire/node";
import { createEchoClient, type EchoClient } from "../src/tour/stage.ts";
import { findProcesses, launcher, makeFolder, runHawser, start, type Running } from "./run-hawser.ts";

const hourMs = 3_600_000;

describe.concurrent("hawser echo", () => {
  it("G8: answers what it was sent and exits 0 at the end of input", async () => {
    const input = '{"id":"1","kind":"echo","value":"é"}\n{"id":"2","kind":"sleep","ms":50}\n';
    const { code, stdout, stderr } = await runHawser(["echo", "--workers", "1", "--queue-size", "1"], { input });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe('{"id":"1","type":"echoed","value":"é"}\n{"id":"2","type":"done"}\n');
  });

  it("R2: speaks length-prefixed frames when asked to", async () => {
    const input = lengthPrefix.encode({ id: "1", kind: "echo", value: 1 });
    const { code, stdout } = await runHawser(["echo", "--codec", "length-prefix"], { input });
    // 36 bytes follow, and 36 is the code of the dollar sign.
    expect([code, stdout]).toEqual([0, '\u0000\u0000\u0000${"id":"1","type":"echoed","value":1}']);
  });

  it("runs as many requests at once as --workers says, and lets --queue-size of them wait", async () => {
    const running = start(["echo", "--workers", "2", "--queue-size", "3"]);
    const lines = [1, 2, 3, 4].map((id) => `{"id":"${id}","kind":"sleep","ms":${hourMs}}\n`);
    running.process.stdin.write(`${lines.join("")}{"id":"s","kind":"status"}\n`);
    expect(await running.printed("\n")).toBe('{"id":"s","type":"status","running":2,"waiting":2}\n');
    running.process.kill("SIGKILL");
    await running.ended;
  });
});

interface SocketSession {
  readonly running: Running;
  readonly folder: string;
  readonly path: string;
}

async function startSocket(): Promise<SocketSession> {
  const folder = makeFolder("t");
  const running = start(["echo", "--socket"], { TMPDIR: folder });
  return { running, folder, path: (await running.printed("\n")).trim() };
}

async function connect(path: string): Promise<EchoClient> {
  const socket = await connectSocket(path);
  const transport = createStreamTransport({ readable: socket, writable: socket, codec: lengthPrefix });
  return createEchoClient(transport, () => Promise.resolve("the connection ended"));
}

describe.concurrent("hawser echo --socket", () => {
  it("R48 R49: prints the path of a private socket as its only line and serves every connection", async () => {
    const { running, folder, path } = await startSocket();
    expect(path).toMatch(/\/claudecode_ipc_[0-9a-f]{32}\.sock$/);
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
    const clients = await Promise.all([connect(path), connect(path), connect(path)]);
    const answers = await Promise.all(clients.map((client, value) => client.call({ kind: "echo", value })));
    expect(answers.map((answer) => "value" in answer && answer.value)).toEqual([0, 1, 2]);
    running.process.kill("SIGINT");
    expect(await running.ended).toEqual({ code: 0, signal: null, stdout: `${path}\n`, stderr: "" });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("G8: SIGTERM lets short work finish, cancels the rest with one answer each and exits 0", async () => {
    const { running, folder, path } = await startSocket();
    const client = await connect(path);
    const short = client.call({ kind: "sleep", ms: 1_000 });
    const long = client.call({ kind: "sleep", ms: hourMs });
    await client.call({ kind: "status" });
    running.process.kill("SIGTERM");
    await expect(short).resolves.toMatchObject({ type: "done" });
    await expect(long).rejects.toMatchObject({ code: "cancelled", message: "cancelled: the process was told to stop" });
    expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("G8: starts nothing for a connection that comes after SIGTERM", async ({ expect }) => {
    const { running, path } = await startSocket();
    const client = await connect(path);
    const long = client.call({ kind: "sleep", ms: hourMs }).catch((error: unknown) => error);
    await client.call({ kind: "status" });
    running.process.kill("SIGTERM");
    await expect
      .poll(() => client.call({ kind: "status" }).catch((error: { code: string }) => error.code), { timeout: 30_000 })
      .toBe("cancelled");
    // Refused by an answer or by the end of the connection, or not let in any more, whichever is first; never served.
    const late = connect(path).then((other) => other.call({ kind: "echo", value: 1 }));
    await expect(late).rejects.toMatchObject({ code: expect.stringMatching(/^(?:cancelled|connection_lost|connection_failed)$/) });
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(await long).toMatchObject({ code: "cancelled" });
  });

  it("G8 G9: a second signal ends it at once with 143 and still removes its files", async ({ expect }) => {
    const { running, folder, path } = await startSocket();
    const client = await connect(path);
    const long = client.call({ kind: "sleep", ms: hourMs }).catch((error: unknown) => error);
    await client.call({ kind: "status" });
    running.process.kill("SIGTERM");
    // Refused while it stops: by then the first signal has been seen.
    await expect
      .poll(() => client.call({ kind: "status" }).catch((error: { code: string }) => error.code), { timeout: 30_000 })
      .toBe("cancelled");
    running.process.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 143 });
    expect(await long).toMatchObject({ code: "connection_lost" });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.skipIf(process.platform === "win32")(
    "G8 G9: ends and leaves nothing when the program that started it was killed",
    async ({ expect }) => {
      const folder = makeFolder("t");
      const mark = `HAWSER_TEST_MARK=${folder}`;
      const script = `require("node:child_process").spawn(process.execPath, [${JSON.stringify(launcher)}, "echo", "--socket"], { stdio: ["ignore", "inherit", "inherit"] })`;
      const parent = start([], { TMPDIR: folder, HAWSER_TEST_MARK: folder }, ["-e", script]);
      const path = (await parent.printed("\n")).trim();
      expect(existsSync(path)).toBe(true);
      parent.process.kill("SIGKILL");
      await expect.poll(() => readdirSync(folder), { timeout: 50_000 }).toEqual([]);
      await expect.poll(() => findProcesses(mark) ?? [], { timeout: 50_000 }).toEqual([]);
    },
  );
});
