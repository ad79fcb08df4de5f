// The shell as its tabs see it: lines both ways, a runtime that dies and comes back, files, and an end that
// leaves nothing.

import { existsSync, readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createDroppedFiles } from "../../src/server/dropped-files.ts";
import { agentsOf, openStage } from "./stage.ts";

const say = (id: string, message: string) => ({ id, kind: "user_message", message });

describe("tabs", () => {
  it("are told how the runtime is, get its greeting whenever they come, and every line of it", async () => {
    await using stage = await openStage();
    const tab = await stage.connect();
    await tab.next('>{"type":"ready"');
    tab.send(say("t1", "what is 12 * 34?"));
    await tab.next('"done"');
    expect(tab.frames.join("")).toContain("408");
    const late = await stage.connect();
    await late.next('>{"type":"ready"');
    expect(late.frames.some((frame) => frame.includes("t1"))).toBe(false);
  });

  it("see what another tab says, and the answer, but not their own words again", async () => {
    await using stage = await openStage();
    const [one, two] = [await stage.connect(), await stage.connect()];
    await Promise.all([one.next("ready"), two.next("ready")]);
    one.send(say("t1", "hello"));
    await Promise.all([one.next('"done"'), two.next('"done"')]);
    expect(two.frames.find((frame) => frame.startsWith("<"))).toBe(`<${JSON.stringify(say("t1", "hello"))}`);
    expect(one.frames.some((frame) => frame.startsWith("<"))).toBe(false);
  });

  it("G16 do not see a line that another tab marks as private, and only that one is marked", async () => {
    await using stage = await openStage();
    const [one, two] = [await stage.connect(), await stage.connect()];
    await Promise.all([one.next("ready"), two.next("ready")]);
    one.socket.send(`*${JSON.stringify({ id: "k1", kind: "set_key", vendor: "anthropic", apiKey: "sk-canary" })}`);
    await Promise.all([one.next('"k1"'), two.next('"k1"')]);
    one.send(say("t1", "hello"));
    await two.next('"t1","type":"done"');
    expect(two.frames.filter((frame) => frame.startsWith("<"))).toEqual([`<${JSON.stringify(say("t1", "hello"))}`]);
    expect([...one.frames, ...two.frames].join("")).not.toContain("sk-canary");
  });

  it("are closed when they send what is no line", async () => {
    await using stage = await openStage();
    const tab = await stage.connect();
    const closed = new Promise<number>((resolve) => tab.socket.once("close", resolve));
    tab.socket.send("one\ntwo");
    expect(await closed).toBe(1008);
  });
});

describe("the runtime behind it", () => {
  it("is started again when it is killed, and the tabs are told why", async () => {
    await using stage = await openStage();
    const tab = await stage.connect();
    await tab.next("ready");
    tab.send(say("t1", "use the tool"));
    const [pid] = agentsOf(stage);
    process.kill(pid as number, "SIGKILL");
    const lost = await tab.next("restarting");
    expect(lost).toContain("SIGKILL");
    const after = (): string[] => tab.frames.slice(tab.frames.indexOf(lost));
    await expect.poll(() => after().some((frame) => frame.includes('"ready"')), { timeout: 50_000 }).toBe(true);
    tab.send(say("t2", "what is 2 + 2?"));
    await tab.next('"t2","type":"done"');
  });

  it("that can't be started is said to the tabs, and `failed` tells", async () => {
    await using stage = await openStage({ command: "/nowhere/node" });
    const failure = await stage.shell.failed;
    expect(failure.message).toContain("/nowhere/node");
    const tab = await stage.connect();
    expect(await tab.next("failed")).toContain("/nowhere/node");
  });
});

describe("files dropped on the page", () => {
  it("can be attached, and images are shown again by what they are, not by what they are called", async () => {
    await using stage = await openStage();
    const headers = stage.own;
    const keep = async (name: string, body: Buffer) => {
      const answer = await stage.fetch("/files", {
        method: "POST",
        headers: { ...headers, "x-file-name": encodeURIComponent(name) },
        body,
      });
      return JSON.parse(answer.body) as { path: string; address: string };
    };
    const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
    const image = await keep("../../evil/ship.png", png);
    const page = await keep("page.html", Buffer.from("<script>1</script>"));
    expect(image.path).toMatch(/\/ship\.png$/);
    expect(readFileSync(image.path)).toEqual(png);
    expect(await stage.fetch(image.address, { headers })).toMatchObject({ status: 200, headers: { "content-type": "image/png" } });
    expect((await stage.fetch(page.address, { headers })).status).toBe(404);
    const tab = await stage.connect();
    await tab.next("ready");
    tab.send({ ...say("t1", "hello"), attachments: [{ path: image.path, mime: "image/png" }] });
    expect(await tab.next('"id":"t1","type":"done"')).toBeTruthy();
  });
});

describe("the end", () => {
  it("G9 leaves no folder either when files are still on their way into it", async () => {
    async function* body(): AsyncGenerator<Buffer> {
      yield Buffer.from("x");
    }
    for (let round = 0; round < 12; round++) {
      const files = createDroppedFiles();
      const keeping = Promise.allSettled(Array.from({ length: 100 }, (_, at) => files.keep(`${at}`, body())));
      // Each time at another moment.
      for (let turn = 0; turn < round; turn++) await nextTurn();
      files.remove();
      await keeping;
      expect(existsSync(files.folder)).toBe(false);
    }
  });

  it("G9 leaves no process, no folder and no listener", async () => {
    const stage = await openStage();
    const tab = await stage.connect();
    await tab.next("ready");
    const pids = agentsOf(stage);
    const closed = new Promise((resolve) => tab.socket.once("close", resolve));
    await stage.shell.stop();
    await closed;
    for (const pid of pids) expect(existsSync(`/proc/${pid}`)).toBe(false);
    expect(existsSync(stage.filesFolder)).toBe(false);
    await expect(stage.fetch("/")).rejects.toThrow("ECONNREFUSED");
    await stage[Symbol.asyncDispose]();
  });
});
