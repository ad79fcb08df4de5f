// A batch from its bytes to its results: every item one result, in bounded memory, with the exit code
// of the worst.

import { describe, expect, it } from "vitest";
import { runBatch, type BatchOptions } from "../../src/batch/run-batch.ts";
import { after, createScriptedCore, never, succeeded } from "../rpc/scripted-core.ts";
import { until } from "../../../../test/kit/until.ts";

async function* bytesOf(text: string, chunkBytes = 65_536): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

interface Result {
  readonly id: unknown;
  readonly ok: boolean;
  readonly code: number;
  readonly error?: string;
  readonly position?: number;
  readonly response?: { body: string };
}

async function run(text: string | AsyncIterable<Buffer>, core = createScriptedCore(), options: Partial<BatchOptions> = {}) {
  let output = "";
  const source = typeof text === "string" ? bytesOf(text) : text;
  const code = await runBatch(source, core, { write: (piece) => void (output += piece), ...options });
  const isArray = options.output === "json";
  const results = (
    isArray
      ? JSON.parse(output)
      : output
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line) as unknown)
  ) as Result[];
  return { code, output, results };
}

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `{"id":${n},"path":"/${n}"}\n`).join("");

describe("input", () => {
  it.each([
    ["lines", '{"id":"a","path":"/1"}\r\n\n{"path":"/2"}'],
    ["an array", ' \n[{"id":"a","path":"/1"},\n {"path":"/2"}]\n'],
    ["an array with a byte order mark", '\ufeff[{"id":"a","path":"/1"},{"path":"/2"}]'],
  ])("R93 takes %s, byte by byte as well", async (_, text) => {
    for (const source of [bytesOf(text), bytesOf(text, 1)]) {
      const { code, results } = await run(source);
      expect(code).toBe(0);
      expect(results.map(({ id, response }) => [id, response?.body])).toEqual([
        ["a", "/1"],
        ["2", "/2"],
      ]);
    }
  });

  it("G6 ids are given back byte for byte; without one the number of the item stands for it", async () => {
    const { output } = await run('[{"id":9007199254740993},{"id":1.0},{"id":null},{"id":"\\u0061"},{"id":{"a" :\n1}}]');
    const ids = output
      .trimEnd()
      .split("\n")
      .map((line) => line.slice(0, line.indexOf(',"ok"')));
    expect(ids).toEqual(['{"id":9007199254740993', '{"id":1.0', '{"id":"3"', '{"id":"\\u0061"', '{"id":{"a" : 1}']);
  });

  it.each(["", " \n\r\n", "[]", "[ \n]"])("an input of %j is a usage error", async (text) => {
    await expect(run(text)).rejects.toMatchObject({ code: "usage" });
  });

  it.each([
    ["an object that was formatted", '{\n  "path": "/x"\n}\n'],
    ["one from Windows", '{\r\n  "path": "/x"\r\n}\r\n'],
    ["one after blank lines and a byte order mark", '\ufeff\n\n{ "path": "/x",\n"id": 1}\n'],
  ])("%s is a usage error of the whole batch that says what to do, and nothing is called", async (_what, text) => {
    for (const source of [bytesOf(text), bytesOf(text, 1)]) {
      const core = createScriptedCore();
      await expect(run(source, core)).rejects.toMatchObject({
        code: "usage",
        facts: { hint: expect.stringContaining("jq -c .") as string },
      });
      expect(core.items).toEqual([]);
    }
  });

  it("a bad line is one result with its position, and the others are made", async () => {
    const core = createScriptedCore();
    const { code, results } = await run('{"path":"/1"}\n{"id":"b",broken\n5\nnull\n{"id":"e","retry":"x"}\n{"path":"/6"}\n', core);
    expect(code).toBe(2);
    expect(results.map(({ id, code: each, position }) => [id, each, position])).toEqual([
      ["1", 0, undefined],
      ["b", 2, 2],
      ["3", 2, undefined],
      ["4", 2, undefined],
      ["e", 2, undefined],
      ["6", 0, undefined],
    ]);
    const named = results.flatMap(({ error }) => (error ? [error.slice(0, error.indexOf(": "))] : []));
    expect(named).toEqual(['batch item 2 (id "b")', "batch item 3", "batch item 4", 'batch item 5 (id "e")']);
    expect(core.items).toEqual([{ path: "/1" }, { path: "/6" }]);
  });

  it("a bad element of an array is one result, and an array that does not end is one more", async () => {
    const { code, results } = await run('[{"path":"/1"}, nope, {"path":"/3"}, {"path":');
    expect(code).toBe(2);
    expect(results.map(({ code: each }) => each)).toEqual([0, 2, 0, 2]);
  });

  it("items that don't say themselves get the defaults", async () => {
    const core = createScriptedCore();
    await run('{"path":"/1"}\n{"path":"/2","yes":false,"timeout":"1s"}', core, { defaults: { yes: true, timeout: "9s" } });
    expect(core.items).toEqual([
      { path: "/1", yes: true, timeout: "9s" },
      { path: "/2", yes: false, timeout: "1s" },
    ]);
  });
});

describe("running", () => {
  it("parallel says how many run at once, and every item gets one result", async () => {
    const core = createScriptedCore(after(({ path }) => Number(path?.slice(1)) % 7));
    const { results } = await run(lines(200), core, { parallel: 8 });
    expect(core.peak).toBe(8);
    expect(results.map(({ id }) => Number(id)).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  it("results come as they end, or with ordered in the order of the input", async () => {
    const ids = Array.from({ length: 20 }, (_, n) => n);
    /** The first ends when the last has been called. */
    const slowFirst = (last = Promise.withResolvers<void>()) =>
      createScriptedCore(async ({ path }) => {
        if (path === "/19") last.resolve();
        if (path === "/0") await last.promise;
        return succeeded("");
      });
    const asTheyCome = (await run(lines(20), slowFirst(), { parallel: 4 })).results.map(({ id }) => Number(id));
    expect(asTheyCome.slice(0, 15)).not.toContain(0);
    expect(asTheyCome.toSorted((one, other) => one - other)).toEqual(ids);
    const ordered = await run(lines(20), slowFirst(), { parallel: 4, ordered: true });
    expect(ordered.results.map(({ id }) => id)).toEqual(ids);
  });

  it("G10 an ordered batch runs ahead of a slow first item by its window and no further", async () => {
    const release = Promise.withResolvers<void>();
    const core = createScriptedCore(async ({ path }) => {
      if (path === "/0") await release.promise;
      return succeeded("");
    });
    const running = run(lines(3_000), core, { parallel: 4, ordered: true });
    await until(() => core.items.length >= 1_024);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(core.items.length).toBe(1_024);
    release.resolve();
    expect((await running).results).toHaveLength(3_000);
  });

  it("G10 nothing is read ahead while the output takes nothing", async () => {
    const release = Promise.withResolvers<void>();
    let given = 0;
    async function* source(): AsyncGenerator<Buffer> {
      for (; given < 500; given++) yield Buffer.from('{"path":"/"}\n');
    }
    let results = 0;
    const running = runBatch(source(), createScriptedCore(), { parallel: 4, write: () => release.promise.then(() => void results++) });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(given).toBeLessThan(10);
    release.resolve();
    expect(await running).toBe(0);
    expect(results).toBe(500);
  });

  it("output json is one array, an empty one never", async () => {
    const { results, output } = await run(lines(3), createScriptedCore(), { output: "json" });
    expect(results.map(({ id }) => id)).toEqual([0, 1, 2]);
    expect(output.startsWith("[\n{")).toBe(true);
  });

  it.each([
    [[0, 0], 0],
    [[0, 6], 6],
    [[6, 7, 0], 7],
    [[7, 2, 6], 2],
  ] as const)("codes %j make the exit code %i", async (codes, expected) => {
    const core = createScriptedCore(({ path }) => {
      const code = codes[Number(path?.slice(1))] ?? 0;
      return Promise.resolve({ ok: code === 0, code });
    });
    const progress: string[] = [];
    const { code } = await run(lines(codes.length), core, { onProgress: (done, failed) => void progress.push(`${done} ${failed}`) });
    expect(code).toBe(expected);
    expect(progress.at(-1)).toBe(`${codes.length} ${codes.filter((each) => each !== 0).length}`);
  });
});

describe("ending early", () => {
  it("a signal starts nothing new and ends what runs, also while the input gives nothing", async () => {
    const core = createScriptedCore(never);
    const controller = new AbortController();
    async function* source(): AsyncGenerator<Buffer> {
      yield Buffer.from(lines(2));
      await new Promise(() => {});
    }
    const running = run(source(), core, { parallel: 8, signal: controller.signal });
    await until(() => core.running === 2);
    controller.abort();
    const { code, results } = await running;
    expect(code).toBe(7);
    expect(results.map(({ code: each }) => each)).toEqual([7, 7]);
  });

  it("an output that fails ends the batch with its error; nothing more is called", async () => {
    const core = createScriptedCore();
    const broken = new Error("EPIPE");
    const running = run(lines(1_000), core, { parallel: 2, ordered: true, write: () => Promise.reject(broken) });
    await expect(running).rejects.toBe(broken);
    expect(core.items.length).toBeLessThan(10);
  });

  it("an output that fails while the window is full ends an ordered batch too", async () => {
    const release = Promise.withResolvers<void>();
    const core = createScriptedCore(async ({ path }) => {
      if (path === "/0") await release.promise;
      return succeeded("");
    });
    const running = run(lines(2_000), core, { parallel: 4, ordered: true, write: () => Promise.reject(new Error("EPIPE")) });
    await until(() => core.items.length >= 1_024);
    release.resolve();
    await expect(running).rejects.toThrow("EPIPE");
    expect(core.items.length).toBe(1_024);
  });

  it.each([0, -1, 1.5, 257, Number.NaN])("parallel %d is refused before anything is read", async (parallel) => {
    const core = createScriptedCore();
    await expect(run(lines(1), core, { parallel })).rejects.toMatchObject({ code: "usage" });
    expect(core.items).toEqual([]);
  });
});
