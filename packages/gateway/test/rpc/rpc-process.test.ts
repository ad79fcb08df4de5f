// The rpc server as a process: what bytes it takes and gives, what its memory does under load, and
// how it ends.

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { answer, startApiStub } from "../../../../test/kit/api-stub.ts";
import { until } from "../../../../test/kit/until.ts";
import { longTestsVariable } from "../../../../scripts/tasks/long-tests.ts";
import { line, startRpc } from "./rpc-process.ts";

const call = (id: unknown, path: string): string => line({ id, op: "call", args: { path } });
/** A heap that ends the process when it holds more: then the peak is no matter of when the engine cleans up. */
const smallHeap = (megabytes: number): string[] => ["--max-semi-space-size=8", `--max-old-space-size=${megabytes}`];

/** Of a thousand lines each. */
const blocks = process.env[longTestsVariable] === undefined ? 20 : 100;

describe.concurrent("lines", () => {
  it("R78 R79 R81 blank lines, CRLF, a byte order mark and a last line without its end", async () => {
    const { child, answers, exited } = startRpc();
    child.stdin.end('\ufeff\n \t\r\n{"id":1,"op":"hello"}\r\n\n{"id":2,"op":"hello"}');
    expect(await exited).toEqual({ code: 0, signal: null });
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
  });

  it("H23 H24 G2 G14 a broken, an oversize and a deep line are each answered once, in read order, with their id if it can be read", async () => {
    const { child, answers, exited } = startRpc();
    child.stdin.write('{"id":"a","op":"hello"}\nnot json, secret-text\n{"id": 9007199254740993 ,"op":secret-text}\n\n');
    child.stdin.write(`{"id":"big","op":"call","args":{"body":"${"x".repeat(10_485_760)}"}}\n`);
    child.stdin.write(
      `{"id":${"[".repeat(127)}${"]".repeat(127)},"op":"hello"}\n{"id":${"[".repeat(126)}${"]".repeat(126)},"op":"hello"}\n`,
    );
    child.stdin.write(`{"id":"deep","op":"call","args":${"[".repeat(200)}${"]".repeat(200)}}\n`);
    child.stdin.write(Buffer.from([0x7b, 0xff, 0x7d, 0x0a]));
    child.stdin.end('{"id":"z","op":"hello"}\n');
    expect((await exited).code).toBe(0);
    expect(answers.map(({ ok, data }) => (ok ? "ok" : data.line))).toEqual(["ok", 2, 3, 5, 6, "ok", 8, 9, "ok"]);
    expect(answers.map(({ id }) => (Array.isArray(id) ? "nested" : id))).toEqual([
      "a",
      undefined,
      9007199254740992,
      "big",
      undefined,
      "nested",
      "deep",
      undefined,
      "z",
    ]);
    for (const { ok, code, error = "" } of answers.filter((each) => !each.ok)) {
      expect({ ok, code }).toEqual({ ok: false, code: 2 });
      expect(error).toMatch(/^invalid rpc request json: /);
      expect(error).not.toContain("secret-text");
      expect(Buffer.byteLength(error)).toBeLessThanOrEqual(200);
    }
  });

  it("H26 an id beyond 2^53 comes back as it was, also from a broken line", async () => {
    const { child, lines, exited } = startRpc();
    child.stdin.end('{"id":9007199254740993,"op":"hello"}\n{"id":9007199254740993,"op":}\n');
    await exited;
    for (const text of lines) expect(text).toMatch(/^\{"id":9007199254740993,"ok":/);
  });

  it("RPC-16 malformed lines, 100,000 in the long form: as many errors, alive, memory flat", async () => {
    const rpc = startRpc([], { nodeFlags: smallHeap(96) });
    const block = "{broken secret-text\n".repeat(1_000);
    const peaks: number[] = [];
    for (let index = 0; index < blocks; index++) {
      await rpc.write(block);
      if (index % (blocks / 2) === blocks / 2 - 1) {
        await rpc.count((index + 1) * 1_000);
        peaks.push(rpc.peakMegabytes());
      }
    }
    await rpc.write(line({ id: "alive", op: "hello" }));
    const answers = await rpc.count(blocks * 1_000 + 1);
    expect(answers[blocks * 1_000]).toMatchObject({ id: "alive", ok: true });
    expect(answers[blocks * 1_000 - 1]?.data).toEqual({ line: blocks * 1_000 });
    const [half = 0, whole = 0] = peaks;
    // Node takes what it may before it collects; what it does not do is go on growing.
    expect(whole - half).toBeLessThan(64);
    expect(whole).toBeLessThan(384);
  });

  it("R110 R111 G10 10,000 calls of 10 kB pushed at a slow worker: the input is held back and memory is bounded", async () => {
    const rpc = startRpc(["--queue-size", "4"]);
    await rpc.write(line({ op: "hello" }));
    await rpc.count(1);
    const args = { path: "/sleep/5000", body: "x".repeat(10_000) };
    let written = 0;
    const writing = (async () => {
      for (; written < 10_000; written++) await rpc.write(line({ id: written, op: "call", args }));
    })();
    // However slow the machine is: until nothing was taken for a while.
    for (let before = -1; written === 0 || written !== before; await sleep(500)) before = written;
    // Beyond the four that wait: `rpcReadAheadBytes`, and what the two ends of the pipe hold.
    expect(written).toBeLessThan(200);
    expect(rpc.peakMegabytes()).toBeLessThan(256);
    rpc.child.kill("SIGKILL");
    await Promise.race([writing, rpc.exited]);
  });

  it(
    "G10 a host that does not read: its input is held back, 300 answers of 1 MB wait in bounded memory, and all arrive",
    { timeout: 600_000 },
    async () => {
      const rpc = startRpc(["--workers", "8"], { read: false, nodeFlags: smallHeap(192) });
      let written = 0;
      const writing = (async () => {
        for (; written < 300; written++) await rpc.write(call(written, `/${"x".repeat(1_000_000)}`));
      })();
      // However slow the machine is: until nothing was taken for a while.
      for (let before = -1; written === 0 || written !== before; await sleep(500)) before = written;
      const writtenUnread = written;
      const peakUnread = rpc.peakMegabytes();
      let newlines = 0;
      rpc.child.stdout.on("data", (chunk: Buffer) => {
        for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, at + 1)) newlines++;
      });
      await writing;
      await until(() => newlines === 300);
      expect(writtenUnread).toBeLessThan(200);
      expect(peakUnread).toBeLessThan(256);
      expect(rpc.peakMegabytes()).toBeLessThan(256);
    },
  );
});

describe.concurrent("the end of the process", () => {
  it("H28 G8 the end of input lets accepted calls finish, then exits 0", async () => {
    const { child, answers, exited } = startRpc(["--workers", "2"]);
    child.stdin.end(call("a", "/sleep/200") + call("b", "/sleep/100") + call("c", "/x"));
    expect(await exited).toEqual({ code: 0, signal: null });
    expect(answers.map(({ id, ok }) => `${String(id)} ${ok}`).toSorted()).toEqual(["a true", "b true", "c true"]);
  });

  it("RPC-04 R95 shutdown with 50 calls waiting and input after it: 51 answers, the acknowledgement last, exit 0 with stdin open", async () => {
    const rpc = startRpc(["--workers", "4"]);
    let input = "";
    for (let id = 0; id < 50; id++) input += call(id, "/sleep/2");
    await rpc.write(`${input}${line({ id: "bye", op: "shutdown" })}${line({ id: "late", op: "hello" })}`);
    expect(await rpc.exited).toEqual({ code: 0, signal: null });
    expect(rpc.answers).toHaveLength(51);
    expect(rpc.answers[50]).toMatchObject({ id: "bye", ok: true, data: { shutdown: true } });
  });

  it("G8 SIGTERM: what waits is not made, what runs is cancelled in its time, all answered, exit 0", async () => {
    const rpc = startRpc();
    await rpc.write(call("a", "/never") + call("b", "/x") + line({ id: "h", op: "hello" }));
    await rpc.count(1);
    rpc.child.kill("SIGTERM");
    expect(await rpc.exited).toEqual({ code: 0, signal: null });
    const ends = rpc.answers.slice(1).map(({ id, code, data }) => `${String(id)} ${code} ${String(data.cancelled)}`);
    expect(ends.toSorted()).toEqual(["a 7 true", "b 7 true"]);
  });

  it("G8 a second signal is obeyed at once", async () => {
    const rpc = startRpc();
    await rpc.write(call("a", "/never") + line({ id: "h", op: "hello" }));
    await rpc.count(1);
    rpc.child.kill("SIGTERM");
    // Two that reach a busy process together are one to it.
    const again = setInterval(() => rpc.child.kill("SIGTERM"), 100);
    const { code } = await rpc.exited;
    clearInterval(again);
    expect(code).toBe(143);
  });

  it.for([1, 4])(
    "RPC-05 H28 host closes its read side with 500 changes waiting at %i workers: at most as many more are sent, exit 7",
    async (workers, { onTestFinished }) => {
      const held: (() => void)[] = [];
      const stub = await startApiStub(
        (_request, response) => new Promise((resolve) => held.push(() => resolve(answer(response, 200, {})))),
      );
      onTestFinished(() => stub.close());
      const rpc = startRpc(["--workers", String(workers), "--queue-size", "1000", "--gateway-url", stub.url]);
      let input = "";
      for (let id = 0; id < 500; id++) input += line({ id, op: "call", args: { method: "POST", path: "/", yes: true } });
      await rpc.write(input);
      await until(() => stub.requests.length === workers);
      rpc.child.stdout.destroy();
      // The other calls have minutes left: nobody waits for them.
      held[0]?.();
      expect((await rpc.exited).code).toBe(7);
      expect(stub.requests.length).toBeLessThanOrEqual(2 * workers);
    },
  );
});
