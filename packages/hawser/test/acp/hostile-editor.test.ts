// `hawser acp` with an editor that floods, does not read, or gives what can't be meant: the real process, line by line.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "@hawser/protocol/internal";
import { afterAll, describe, expect, it } from "vitest";
import { peakMegabytes } from "../../../../test/kit/processes.ts";
import { hawserCommand, makeStage, type Stage } from "../agent/agent-stage.ts";

interface Answer {
  readonly id: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

const closing: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

async function start(stage: Stage) {
  const temporary = mkdtempSync(join(tmpdir(), "hawser-hostile-"));
  const [command, ...args] = hawserCommand(["acp"]);
  const child = spawn(command, args, { cwd: "/", env: { ...stage.env, TMPDIR: temporary }, stdio: ["pipe", "pipe", "pipe"] });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const exited = once(child, "exit");
  const waiting = new Map<string, (answer: Answer) => void>();
  const questions: Readonly<Record<string, unknown>>[] = [];
  const asked = Promise.withResolvers<void>();
  let count = 0;
  let extra = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as Record<string, unknown>;
    if ("method" in message) {
      if (!("id" in message)) return;
      questions.push(message);
      asked.resolve();
      return;
    }
    const resolve = waiting.get(String(message["id"]));
    waiting.delete(String(message["id"]));
    if (resolve) resolve(message as unknown as Answer);
    else extra++;
  });
  const write = (message: object): boolean => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method: string, params: object): Promise<Answer> =>
    new Promise((resolve) => {
      const id = `r${++count}`;
      waiting.set(id, resolve);
      write({ id, method, params });
    });
  closing.push(async () => {
    child.stdin.end();
    child.kill("SIGKILL");
    await exited;
    rmSync(temporary, { recursive: true, force: true });
  });
  await request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { result } = await request("session/new", { cwd: stage.folder, mcpServers: [] });
  const sessionId = String(result?.["sessionId"]);
  const say = (text: string): Promise<Answer> => request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  /** Waits until the process has taken what was written. */
  const taken = async (): Promise<void> => void (child.stdin.writableNeedDrain && (await once(child.stdin, "drain")));
  return { child, temporary, sessionId, request, write, say, taken, questions, asked: asked.promise, extra: () => extra, log: () => log };
}

describe.concurrent("an editor that means no good", () => {
  it("G10 G11 is refused what does not fit beside its other requests, each with one answer, and memory stays bounded", async () => {
    const editor = await start(makeStage());
    const text = "a".repeat(9_000_000);
    const answers: Promise<Answer>[] = [];
    for (let index = 0; index < 12; index++) {
      answers.push(editor.say(text));
      await editor.taken();
    }
    const refused = (await Promise.all(answers)).filter(({ error }) => error);
    expect(refused.some(({ error }) => error?.message.startsWith("overloaded"))).toBe(true);
    expect(await editor.request("session/list", {})).toHaveProperty("result");
    expect(editor.extra()).toBe(0);
    expect(peakMegabytes(editor.child.pid ?? 0) ?? 0).toBeLessThan(256);
  });

  it("G10 is not read any further while it does not read its answers, and gets all of them later", async () => {
    const editor = await start(makeStage());
    editor.child.stdout.pause();
    const method = `nope/${"x".repeat(3_000)}`;
    const answers = Array.from({ length: 12_000 }, () => editor.request(method, {}));
    let [left, sameFor] = [-1, 0];
    while (sameFor < 6 && left !== 0) {
      await sleep(500);
      sameFor = left === editor.child.stdin.writableLength ? sameFor + 1 : 0;
      left = editor.child.stdin.writableLength;
    }
    // The pipes are full, so the rest waits in this process.
    expect(left).toBeGreaterThan(0);
    editor.child.stdout.resume();
    const errors = (await Promise.all(answers)).filter(({ error }) => error);
    expect(errors).toHaveLength(12_000);
    expect(editor.extra()).toBe(0);
  });

  it("G11 writes thousands of lines that are not messages: they are skipped, and a few lines of the log say so", async () => {
    const editor = await start(makeStage());
    for (let index = 0; index < 5_000; index++) editor.child.stdin.write(index % 2 === 0 ? "garbage \u001b]52;c;eA==\u0007\n" : "[]\n");
    expect(await editor.request("session/list", {})).toHaveProperty("result");
    expect(editor.log()).toContain("skipped a line on stdin that isn't a message");
    expect(editor.log().match(/isn't a message|aren't messages/g)?.length).toBeLessThan(30);
    expect(editor.log()).not.toContain("\u001b]52");
  });

  it("can cancel a prompt of a session that was loaded again meanwhile", async () => {
    const stage = makeStage();
    const editor = await start(stage);
    await editor.say("hello");
    const prompt = editor.say('write "ahoy" to note.txt');
    await editor.asked;
    const { sessionId } = editor;
    expect(await editor.request("session/load", { sessionId, cwd: stage.folder, mcpServers: [] })).toHaveProperty("result");
    editor.write({ method: "session/cancel", params: { sessionId } });
    expect((await prompt).result).toEqual({ stopReason: "cancelled" });
  });

  it("can delete a session while it answers: the prompt ends as cancelled, and the conversation is gone", async () => {
    const editor = await start(makeStage());
    await editor.say("hello");
    const prompt = editor.say('write "ahoy" to note.txt');
    await editor.asked;
    expect(await editor.request("session/delete", { sessionId: editor.sessionId })).toHaveProperty("result");
    expect((await prompt).result).toEqual({ stopReason: "cancelled" });
    expect((await editor.request("session/list", {})).result).toEqual({ sessions: [] });
  });

  it("G9 leaves no image of a prompt that was refused", async () => {
    const editor = await start(makeStage());
    const { sessionId } = editor;
    const image = { type: "image", mimeType: "image/png", data: Buffer.from("not an image").toString("base64") };
    const parts = [[image], [image, { type: "audio", mimeType: "audio/wav", data: "AAAA" }]];
    for (const prompt of parts) expect(await editor.request("session/prompt", { sessionId, prompt })).toHaveProperty("error");
    expect(readdirSync(editor.temporary, { recursive: true }).filter((name) => String(name).endsWith(".image"))).toEqual([]);
  });

  it("is refused folders and sessions that can't be, in few words", async () => {
    const editor = await start(makeStage());
    for (const cwd of ["/tmp/\0", `/${"x/".repeat(5_000)}`, "x".repeat(1_000_000), "/etc/passwd/x"])
      expect((await editor.request("session/new", { cwd, mcpServers: [] })).error?.code).toBe(-32_602);
    for (const sessionId of ["../../etc", "a\0b", "x".repeat(1_000_000)]) {
      const { error } = await editor.request("session/prompt", { sessionId, prompt: [] });
      expect(error?.message.length).toBeLessThan(300);
      expect(isRecord(error)).toBe(true);
    }
  });
});
