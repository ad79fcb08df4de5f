// The steps of the tour: what each shows, and what that proves.

import { execFile } from "node:child_process";
import { existsSync, lstatSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { HawserError, toHawserError } from "@hawser/protocol";
import { isSettledWithin } from "@hawser/wire/internal";
import { connectSocket, createStreamTransport, lengthPrefix, type PipedChild } from "@hawser/wire/node";
import { createEchoClient, formatMs, time, type EchoChild, type Stage } from "./stage.ts";

const greeting = "ahoy: é 漢字 💥";
const hourMs = 3_600_000;

const formatMegabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`;

/** How a call ended: "ok", or the code of its error. */
const settleCode = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "ok",
    (error: unknown) => toHawserError(error).code,
  );

export async function showSteps(stage: Stage): Promise<void> {
  const echo = await showFirstAnswer(stage);
  for (const show of [showManyRequests, showCancel, showBadInput, showBackpressure, showSocketSession, showKilledChild])
    await show(stage, echo);
}

async function showFirstAnswer(stage: Stage): Promise<EchoChild> {
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

async function showManyRequests(stage: Stage, { client }: EchoChild): Promise<void> {
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

async function showCancel(stage: Stage, { client }: EchoChild): Promise<void> {
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

async function showBadInput(stage: Stage, { child, client }: EchoChild): Promise<void> {
  stage.title("Input that is not what it should be");
  async function sendBytes(bytes: Buffer): Promise<string> {
    const answer = client.nextStray();
    child.stdin.write(bytes);
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

async function showBackpressure(stage: Stage, { child, client }: EchoChild): Promise<void> {
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
  const isKnown = before !== undefined && during !== undefined;
  const isBounded = !isKnown || during - before < maxGrowthBytes;
  const memory = isKnown
    ? `: ${formatMegabytes(before)} before, ${formatMegabytes(during)} while it was not read`
    : " can't be read on this system";
  stage.fact(`the child's memory${memory}`);
  stage.fact(`cancelled it and read on: ${received} of ${pieces} pieces came, then its end`);
  stage.prove("a slow reader slows its writer down and fills no memory", isBounded && code === "cancelled" && received < pieces / 2);
}

/** Resident bytes of the process. */
async function readMemory(pid: number): Promise<number | undefined> {
  const isLinux = process.platform === "linux";
  try {
    const text = isLinux
      ? await readFile(`/proc/${pid}/status`, "utf8")
      : (await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)])).stdout;
    const [, kilobytes] = (isLinux ? /^VmRSS:\s+(\d+) kB$/m : /^\s*(\d+)\s*$/).exec(text) ?? [];
    return Number(kilobytes ?? 0) * 1_024 || undefined;
  } catch {
    return undefined;
  }
}

const endMs = 15_000;

async function showSocketSession(stage: Stage): Promise<void> {
  stage.title("A session on a Unix socket");
  const child = await stage.start(["echo", "--socket"]);
  const socketPath = await readFirstLine(child);
  const paths = process.platform === "win32" ? [] : [socketPath, socketPath.replace(/\.sock$/, ".d")];
  if (paths.length > 0) stage.fact(`in ${dirname(socketPath)}:`);
  for (const path of paths) stage.fact(`${formatMode(lstatSync(path).mode)}  ${basename(path)}`);
  const isPrivate = paths.every((path) => (lstatSync(path).mode & 0o077) === 0);
  const answered = await askOverSocket(stage, socketPath);
  child.kill("SIGTERM");
  // On a busy machine it needs its time; stopping it would send a second signal, which means "at once" and has another exit code.
  await isSettledWithin(child.exited, endMs);
  const { code, signal } = await child.stop();
  const left = paths.filter((path) => existsSync(path));
  stage.fact(`after SIGTERM: ${signal ?? `exit code ${code}`}, ${left.length === 0 ? "nothing" : left.join(", ")} is left of it`);
  stage.prove("a session is private and leaves nothing behind", isPrivate && answered && left.length === 0 && code === 0);
}

async function readFirstLine({ stdout }: PipedChild): Promise<string> {
  for await (const line of createInterface({ input: stdout })) return line;
  throw new HawserError("start_failed", "`hawser echo --socket` ended before it listened; run it by hand to see why");
}

async function askOverSocket(stage: Stage, path: string): Promise<boolean> {
  const { result: socket, ms: connectMs } = await time(connectSocket(path));
  const transport = createStreamTransport({ readable: socket, writable: socket, codec: lengthPrefix });
  const client = createEchoClient(transport, () => Promise.resolve("the session ended"));
  await client.call({ kind: "echo", value: "warm" });
  const { result, ms } = await time(client.call({ kind: "echo", value: "over the socket" }));
  stage.fact(`connected in ${formatMs(connectMs)}; a round trip takes ${formatMs(ms)}`);
  await transport.close();
  return result.type === "echoed" && result.value === "over the socket";
}

function formatMode(mode: number): string {
  const kind = (mode & 0o170000) === 0o140000 ? "s" : (mode & 0o170000) === 0o040000 ? "d" : "-";
  const bits = [0o400, 0o200, 0o100, 0o040, 0o020, 0o010, 0o004, 0o002, 0o001];
  return kind + bits.map((bit, index) => (mode & bit ? "rwx"[index % 3] : "-")).join("");
}

const promptMs = 15_000;

async function showKilledChild(stage: Stage, { child, client }: EchoChild): Promise<void> {
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
