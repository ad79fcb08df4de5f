// The tour, steps one to four: requests and answers, many of them, cancels, and bad input.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { toHawserError } from "@hawser/protocol";
import { formatMegabytes, formatMs, pause, settleCode, time, type EchoChild, type Stage } from "./stage.ts";

const greeting = "ahoy: é 漢字 💥";
const hourMs = 3_600_000;

export async function showFirstAnswer(stage: Stage): Promise<EchoChild> {
  stage.title("A child process that speaks in whole messages");
  const startedAt = performance.now();
  const echo = await stage.startEcho();
  const answer = await echo.client.call({ kind: "echo", value: greeting });
  const ms = performance.now() - startedAt;
  stage.fact(`started \`hawser echo\` as process ${echo.child.pid}; its first answer took ${formatMs(ms)}`);
  stage.fact(`sent      {"id":"c1","kind":"echo","value":"${greeting}"}`);
  stage.fact(`received  ${JSON.stringify(answer)}`);
  stage.prove("a program and its child talk over plain pipes, text unharmed", answer.type === "echoed" && answer.value === greeting);
  return echo;
}

export async function showManyRequests(stage: Stage, { client }: EchoChild): Promise<void> {
  stage.title("Many requests at once");
  const total = 2_000;
  const times: number[] = [];
  let matches = 0;
  let next = 0;
  async function ask(): Promise<void> {
    while (next < total) {
      const value = next++;
      const { result, ms } = await time(client.call({ kind: "echo", value }));
      if (result.type === "echoed" && result.value === value) matches++;
      times.push(ms);
    }
  }
  const { ms } = await time(Promise.all(Array.from({ length: 16 }, ask)));
  const one = await time(client.call({ kind: "echo", value: 0 }));
  times.sort((left, right) => left - right);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  stage.fact(`${total} requests, 16 at a time: ${formatMs(ms)} in all, median round trip ${formatMs(median)}`);
  stage.fact(`${matches} answers fitted their request; one request alone took ${formatMs(one.ms)}`);
  stage.prove("no answer is lost, doubled or crossed", matches === total);
}

export async function showCancel(stage: Stage, { client }: EchoChild): Promise<void> {
  stage.title("A cancel that overtakes");
  const ids = Array.from({ length: 20 }, (_, index) => `nap-${index + 1}`);
  const ends = ids.map((id) => settleCode(client.call({ kind: "sleep", ms: hourMs }, { id })));
  const status = await client.call({ kind: "status" });
  if (status.type === "status") stage.fact(`asked for 20 naps of an hour: ${status.running} run, ${status.waiting} wait behind them`);
  const last = ids.at(-1) ?? "";
  const { ms } = await time(Promise.all([client.call({ kind: "cancel", target: last }), ends.at(-1)]));
  stage.fact(`cancelled the last in the queue: it ended after ${formatMs(ms)}`);
  const others = await time(Promise.all(ids.slice(0, -1).map((target) => client.call({ kind: "cancel", target }))));
  const codes = await Promise.all(ends);
  const cancelled = codes.filter((code) => code === "cancelled").length;
  stage.fact(`cancelled the others: ${cancelled} of 20 ended, each once, after another ${formatMs(others.ms)}`);
  stage.prove("a cancel never waits behind the work that it ends", cancelled === 20);
}

export async function showBadInput(stage: Stage, { child, client }: EchoChild): Promise<void> {
  stage.title("Input that is not what it should be");
  async function sendBytes(bytes: Buffer): Promise<string> {
    const answer = client.nextStray();
    await child.transport.send(bytes);
    const { type, ...members } = await answer;
    return type === "error" && "code" in members ? members.code : type;
  }
  const malformed = await sendBytes(Buffer.from("{oops\n"));
  stage.fact(`sent {oops: answered with the error ${malformed}`);
  const oversize = await sendBytes(Buffer.from(`${"x".repeat(11 * 1_048_576)}\n`));
  stage.fact(`sent a line of 11 MiB: answered with the error ${oversize}`);
  const { result, ms } = await time(client.call({ kind: "echo", value: "still here" }));
  stage.fact(`then a good request: ${result.type} after ${formatMs(ms)}`);
  stage.prove("bad input is answered once and harms no other request", malformed === "invalid_json" && oversize === "too_large");
}

const pieces = 40_000;
const pieceBytes = 50_000;
const stallMs = 800;
const maxGrowthBytes = 32_000_000;

export async function showBackpressure(stage: Stage, { child, client }: EchoChild): Promise<void> {
  stage.title("A reader that stops reading");
  let received = 0;
  const before = await readMemory(child.pid);
  const resume = client.haltReading();
  const onPiece = (): void => void received++;
  const end = settleCode(client.call({ kind: "stream", count: pieces, bytes: pieceBytes }, { id: "flood", onPiece }));
  await pause(stallMs);
  const during = await readMemory(child.pid);
  stage.fact(`asked for ${formatMegabytes(pieces * pieceBytes)} and read nothing for ${stallMs} ms`);
  const cancelled = client.call({ kind: "cancel", target: "flood" });
  resume();
  await cancelled;
  const code = await end;
  const isBounded = before === undefined || during === undefined || during - before < maxGrowthBytes;
  if (before !== undefined && during !== undefined) {
    stage.fact(`the child's memory: ${formatMegabytes(before)} before, ${formatMegabytes(during)} while it was not read`);
  } else {
    stage.fact("the child's memory can't be read on this system");
  }
  stage.fact(`cancelled it and read on: ${received} of ${pieces} pieces came, then its end`);
  stage.prove("a slow reader slows its writer down and fills no memory", isBounded && code === "cancelled" && received < pieces / 2);
}

/** Resident bytes of the process. */
async function readMemory(pid: number): Promise<number | undefined> {
  try {
    const kilobytes = process.platform === "linux" ? await readFromProc(pid) : await readFromPs(pid);
    return Number.isSafeInteger(kilobytes) && kilobytes > 0 ? kilobytes * 1_024 : undefined;
  } catch {
    return undefined;
  }
}

async function readFromProc(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
}

async function readFromPs(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)]);
  return Number(stdout.trim());
}

const promptMs = 15_000;

export async function showKilledChild(stage: Stage, { child, client }: EchoChild): Promise<void> {
  stage.title("A child that is killed");
  const call = client.call({ kind: "sleep", ms: hourMs }).then(
    () => undefined,
    (error: unknown) => toHawserError(error),
  );
  // Once status is answered, the request before it has been read.
  await client.call({ kind: "status" });
  stage.fact(`process ${child.pid} works on a request and gets SIGKILL`);
  child.kill("SIGKILL");
  const { result: error, ms } = await time(call);
  stage.fact(`the caller was told after ${formatMs(ms)}: ${error?.code}:`);
  stage.fact(error?.message ?? "nothing");
  stage.prove("a caller never waits for a process that is gone", error?.code === "connection_lost" && ms < promptMs);
  await child.stop();
}
