// Batches on a fleet with real processes: a server, workers at sites, senders and readers that are killed.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { BatchLine } from "@hawser/gateway";
import { bundlesOfSite, consumerGroup, consumerName, itemStream, resultStream } from "../../fleet/src/batch/batch-names.ts";
import { openBatchStreams, type BatchStreams } from "../../fleet/src/batch/batch-streams.ts";
import { answer, startApiStub, type ApiStub } from "../../../test/kit/api-stub.ts";
import { openFleet, openServer, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { until } from "../../../test/kit/until.ts";
import { hawser, makePlace, runIn, startIn } from "./gateway-stage.ts";
import { makeFolder, start, type Running } from "./run-hawser.ts";

const canary = "CANARY-7f3a9b";
const running: Running[] = [];
let address = "";
let api: ApiStub;
let streams: BatchStreams;

beforeEach(skipWithoutServer);
beforeAll(async () => {
  if (serverProgram === "") return;
  const server = await openServer();
  ({ address } = server);
  streams = await openBatchStreams(await openFleet(server));
  api = await startApiStub();
});
afterAll(() => api?.close());
beforeEach(() => api?.handle((request, response) => answer(response, 200, { target: request.target })));
afterEach(async () => {
  for (const one of running.splice(0)) {
    one.process.kill("SIGTERM");
    await one.ended;
  }
});

function run(...args: string[]): Running {
  const started = startIn(makePlace({ url: api.url, token: canary }), args);
  running.push(started);
  return started;
}

/** Resolves when the worker asks for items. */
async function serve(site: string, ...more: string[]): Promise<Running> {
  const waiting = async (): Promise<number> =>
    (await streams.manager.consumers.info(itemStream, consumerName(site)).catch(() => undefined))?.num_waiting ?? 0;
  const before = await waiting();
  const worker = run("rpc", "--fleet", address, "--site", site, "--workers", "4", ...more);
  await until(async () => (await waiting()) > before);
  return worker;
}

/** A consumer whose workers are taken for lost soon, as an operator may make it. */
const makeImpatient = (site: string): Promise<unknown> =>
  streams.manager.consumers.add(itemStream, {
    durable_name: consumerName(site),
    filter_subject: bundlesOfSite(site),
    ack_policy: "explicit",
    ack_wait: 1.5e9,
    priority_groups: [consumerGroup],
    priority_policy: "pinned_client",
    priority_timeout: 1.5e9,
  });

const call = (...args: string[]): readonly string[] => ["call", "--fleet", address, ...args];
const toLines = (items: readonly unknown[]): string => items.map((item) => `${JSON.stringify(item)}\n`).join("");
const toValues = (stdout: string): (BatchLine & { site?: string })[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as BatchLine);
const idOf = (text: string): string => /batch ([0-9a-f]{16})/.exec(text)?.[1] ?? "";
const sent = (target: string): number => api.requests.filter((request) => request.target === target).length;

/** Everything that both streams hold, as text. */
async function dump(): Promise<string> {
  const texts: string[] = [];
  for (const stream of [itemStream, resultStream]) {
    const { state } = await streams.manager.streams.info(stream);
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await streams.manager.streams.getMessage(stream, { seq });
      if (message) texts.push(`${message.subject} ${JSON.stringify([...message.header])} ${message.string()}`);
    }
  }
  return texts.join("\n");
}

describe("a batch on a fleet", () => {
  it("is called by the workers of two sites, prints the lines of a local batch, and leaves no token on the bus", async () => {
    const said: string[] = [];
    const all = streams.fleet.connection.subscribe(">", {
      callback: (_error, message) =>
        void said.push(`${message.subject} ${JSON.stringify([...(message.headers ?? [])])} ${message.string()}`),
    });
    // A target that repeats its token: redacted before it travels.
    api.handle((request, response) => answer(response, 200, { target: request.target, headers: request.headers }));
    await Promise.all([serve("east"), serve("west")]);
    const items = Array.from({ length: 40 }, (_, n) => ({
      id: n % 3 === 0 ? n : undefined,
      path: `/two/${n}`,
      site: n % 2 ? "east" : undefined,
    }));
    const mistakes = [
      { path: 5 },
      { path: "/two/x", site: "no such.name" },
      { path: "/two/x", site: 7 },
      { method: "POST", path: "/two/x" },
    ];
    const ended = await runIn(makePlace(), call("--batch", "-", "--site", "west", "--keep"), { input: toLines([...items, ...mistakes]) });
    all.unsubscribe();
    const lines = toValues(ended.stdout);
    expect(ended.code).toBe(2);
    expect(lines).toHaveLength(44);
    const byId = new Map(lines.map((line) => [line.id, line]));
    expect(items.map(({ id }, n) => byId.get(id ?? String(n + 1))?.response?.body)).toEqual(
      items.map((_, n) => expect.stringContaining(`"/two/${n}"`)),
    );
    expect(items.map(({ id }, n) => byId.get(id ?? String(n + 1))?.site)).toEqual(items.map(({ site }) => site ?? "west"));
    expect(["41", "42", "43", "44"].map((id) => byId.get(id)?.error)).toEqual([
      'batch item 41: "path": Invalid type: Expected string but received 5',
      expect.stringContaining("batch item 42: the name of a site has letters"),
      'batch item 43: "site": must be a string',
      "method POST requires --yes confirmation",
    ]);
    const { id, site: _, stats, timingMs: _ms, ...rest } = byId.get("2") as BatchLine & { site?: string };
    const local = await runIn(makePlace({ url: api.url, token: canary }), ["call", "--batch", "-"], { input: toLines([items[1]]) });
    const { id: _id, stats: localStats, timingMs: _localMs, ...localRest } = toValues(local.stdout)[0] as BatchLine;
    expect([id, { ...rest, response: undefined }, Object.keys(stats)]).toEqual([
      "2",
      { ...localRest, response: undefined },
      Object.keys(localStats),
    ]);
    const kept = await dump();
    expect(kept).toContain("/two/39");
    expect(api.requests.some(({ headers }) => JSON.stringify(headers).includes(canary))).toBe(true);
    expect(`${kept}${said.join("\n")}${ended.stderr}`).not.toContain(canary);
  });

  it("is sent and worked on by the commands of its page", async () => {
    const page = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "fleet", "batch.md"), "utf8");
    const [, work = "", send = ""] = Array.from(page.matchAll(/```sh\n(.*)\n```/g), ([, command]) => command);
    const shown = /```text\n(.*)\n```/.exec(page)?.[1] ?? "";
    const toShell = (command: string): string =>
      command.replace("npx hawser", `"${process.execPath}" "${hawser}"`).replace("nats://127.0.0.1:4222", address);
    const worker = start(["-c", `exec ${toShell(work)}`], makePlace().env, [], "sh");
    running.push(worker);
    const ended = await start(["-c", toShell(send)], makePlace().env, [], "sh").ended;
    const [before = "", after = ""] = shown.split("…");
    expect([ended.code, ended.stdout.startsWith(before), ended.stdout.trimEnd().endsWith(after)]).toEqual([0, true, true]);
  });

  it("whose worker is killed: what was sent by POST ends as unknown and is never sent again, a GET is, and the rest is called", async () => {
    await makeImpatient("killed");
    const items = [
      { id: "post", method: "POST", path: "/killed/post", yes: true },
      { id: "get", path: "/killed/get" },
      ...Array.from({ length: 20 }, (_, n) => ({ id: n, method: "POST", path: `/killed/${n}`, yes: true })),
    ];
    let isFirst = true;
    api.handle((request, response) => {
      if (isFirst && request.target.startsWith("/killed/")) return;
      answer(response, 200, {});
    });
    const first = await serve("killed", "--workers", "2");
    const sender = startIn(makePlace(), call("--batch", "-", "--site", "killed"));
    sender.process.stdin.end(toLines(items));
    await until(() => sent("/killed/post") + sent("/killed/get") === 2);
    await serve("killed");
    isFirst = false;
    first.process.kill("SIGKILL");
    const { code, stdout } = await sender.ended;
    const lines = new Map(toValues(stdout).map((line) => [line.id, line]));
    expect([code, lines.size]).toEqual([7, 22]);
    expect(lines.get("post")).toMatchObject({ ok: false, code: 7, errorInfo: { kind: "unknown_outcome", retryable: false } });
    expect(lines.get("get")).toMatchObject({ ok: true });
    expect([sent("/killed/post"), sent("/killed/get")]).toEqual([1, 2]);
    // One that was to be sent next may have been, as far as can be known.
    const others = items.slice(2).map(({ id, path }) => ({ line: lines.get(id), count: sent(path) }));
    expect(others.filter(({ line, count }) => (line?.ok ? count !== 1 : count > 0 || line?.errorInfo?.kind !== "unknown_outcome"))).toEqual(
      [],
    );
    expect(others.filter(({ line }) => line?.ok).length).toBeGreaterThanOrEqual(18);
  });

  it("outlives its sender: another process goes on reading where it is told, and the batch is gone when it was read", async () => {
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    api.handle(async (request, response) => {
      if (!["/long/1", "/long/2"].includes(request.target)) await held;
      answer(response, 200, {});
    });
    await serve("long", "--workers", "8");
    const sender = startIn(makePlace(), call("--batch", "-", "--site", "long"));
    sender.process.stdin.end(toLines(Array.from({ length: 8 }, (_, n) => ({ path: `/long/${n + 1}` }))));
    await sender.printed('"id":"1"');
    const before = await sender.printed('"id":"2"');
    sender.process.kill("SIGKILL");
    const batch = idOf((await sender.ended).stderr);
    expect(before.trimEnd().split("\n")).toHaveLength(2);
    const reader = startIn(makePlace(), call("--attach", batch, "--after", "2"));
    release?.();
    const ended = await reader.ended;
    expect([
      ended.code,
      toValues(ended.stdout)
        .map(({ id }) => String(id))
        .toSorted(),
    ]).toEqual([0, ["3", "4", "5", "6", "7", "8"]]);
    expect(Array.from({ length: 8 }, (_, n) => sent(`/long/${n + 1}`))).toEqual(Array.from({ length: 8 }, () => 1));
    const again = await runIn(makePlace(), call("--attach", batch));
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining(`has no batch ${batch}`)]);
  });

  it("is cancelled as a whole: what runs ends, the rest is not called, and every item has its line", async () => {
    api.handle((request, response) => void (request.target.startsWith("/stop/") || answer(response, 200, {})));
    await serve("stop");
    const sender = startIn(makePlace(), call("--batch", "-", "--site", "stop", "--yes"));
    sender.process.stdin.end(toLines(Array.from({ length: 600 }, (_, n) => ({ method: "POST", path: `/stop/${n}` }))));
    await until(() => api.requests.some(({ target }) => target.startsWith("/stop/")));
    const kept = await streams.manager.streams.getMessage(itemStream, { last_by_subj: "hawser.batch.item.stop.>" });
    const batch = kept?.subject.split(".")[4] ?? "";
    expect((await runIn(makePlace(), call("--cancel", batch))).code).toBe(0);
    const { code, stdout } = await sender.ended;
    const lines = toValues(stdout);
    expect([code, lines.length, new Set(lines.map(({ id }) => id)).size]).toEqual([7, 600, 600]);
    expect(new Set(lines.map(({ errorInfo }) => errorInfo?.kind))).toEqual(new Set(["cancelled"]));
    const calls = api.requests.filter(({ target }) => target.startsWith("/stop/")).map(({ target }) => target);
    expect(calls.length).toBeLessThanOrEqual(8);
    expect(new Set(calls).size).toBe(calls.length);
  });

  it("says what is wrong with its flags, its file and its fleet, and that a site has no worker", async () => {
    const file = join(makeFolder("items"), "items.ndjson");
    writeFileSync(file, toLines([{ path: "/lonely" }]));
    const lonely = startIn(makePlace(), call("--batch", file, "--site", "lonely"));
    let told = "";
    lonely.process.stderr.on("data", (text: string) => (told += text));
    await until(() => told.includes('no worker is at the site "lonely" now'));
    lonely.process.kill("SIGINT");
    expect(await lonely.ended).toMatchObject({ code: 130, stderr: expect.stringContaining(`--attach ${idOf(told)} --after 0`) });
    const mistakes: [readonly string[], string][] = [
      [call("--path", "/x"), "--fleet goes with one of --batch, --attach and --cancel"],
      [call("--batch", file, "--parallel", "4"), "--parallel is not for --fleet"],
      [call("--batch", file, "--api-key-file", file), "--api-key-file is not for --fleet"],
      [call("--batch", file, "--ordered"), "--ordered is not supported with --fleet"],
      [call("--batch", file, "--after", "1"), "--after belongs to --attach"],
      [call("--attach", "nonsense"), "the id of a batch has 16 hexadecimal digits"],
      [["call", "--batch", file, "--site", "x"], "--site requires --fleet"],
      [["rpc", "--fleet", address], "--fleet needs --site"],
      [["rpc", "--site", "x"], "--site requires --fleet"],
      [["rpc", "--fleet", address, "--site", "x", "--rate", "0"], "Give calls per second"],
      [["rpc", "--fleet", address, "--site", "x", "--queue-size", "9"], "--queue-size is not for --fleet"],
    ];
    const ends = await Promise.all(mistakes.map(([args]) => runIn(makePlace(), args)));
    expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(mistakes.map(([, text]) => [2, expect.stringContaining(text)]));
  });
});
