// `call --batch` through the real program: one result per item, in bounded memory, with one exit code.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDemoApi, type BatchLine, type DemoApi } from "@hawser/gateway";
import { startApiStub } from "../../../test/kit/api-stub.ts";
import { makePlace, runIn, runJson, startIn } from "./gateway-stage.ts";

let demo: DemoApi;
beforeAll(async () => {
  demo = await startDemoApi({ token: "demo-token" });
});
afterAll(() => demo.stop());

const info = { method: "GET", path: "/data/api/v1/gateway-info" };
const failing = (status: number): object => ({ path: `/data/api/v1/fail?status=${status}` });
const toLines = (items: readonly object[]): string => items.map((item) => `${JSON.stringify(item)}\n`).join("");

describe.concurrent("call --batch", () => {
  it("R93: from stdin, a file and @file, as NDJSON and as an array, gives {id, ok, code, status, …} per item", async () => {
    const place = makePlace(demo);
    const items = [{ id: "a", ...info }, { id: 2, op: "READTAG", params: { name: "Tank/Level" } }, failing(403)];
    const file = join(place.folder, "items.json");
    writeFileSync(file, JSON.stringify(items));
    const fromStdin = await runIn(place, ["call", "--batch", "-"], { input: toLines(items) });
    const results = fromStdin.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as BatchLine);
    expect(results).toMatchObject([
      { id: "a", ok: true, code: 0, status: 200, request: { method: "GET" }, response: { status: 200 }, stats: { version: 1 } },
      { id: 2, ok: true, response: { body: '{"name":"Tank/Level","value":62.5,"quality":"Good"}' } },
      { id: "3", ok: false, code: 6, status: 403, response: { body: '{"error":"failed as you asked"}' } },
    ]);
    for (const source of [file, `@${file}`]) {
      const { code, stdout } = await runIn(place, ["call", "--batch", source, "--batch-output", "json", "--parallel", "3", "--ordered"]);
      expect([code, (JSON.parse(stdout) as BatchLine[]).map(({ id }) => id)]).toEqual([6, ["a", 2, "3"]]);
    }
  });

  it.each([
    [[info], 0],
    [[info, failing(401)], 6],
    [[failing(401), failing(500)], 7],
    [[failing(401), failing(500), { method: "POST", path: "/x" }], 2],
  ])("the exit code is 2 if an item had it, else 7, else 6, else 0: %j → %i", async (items, code) => {
    expect((await runIn(makePlace(demo), ["call", "--batch", "-", "--parallel", "4"], { input: toLines(items) })).code).toBe(code);
  });

  it("--yes, --retry and --timeout are the items' defaults", async () => {
    const stub = await startApiStub((_request, response) => void response.writeHead(503).end());
    const args = ["call", "--batch", "-", "--yes", "--retry", "2", "--retry-backoff", "1ms"];
    await runIn(makePlace(stub), args, {
      input: toLines([
        { method: "PUT", path: "/a" },
        { path: "/b", retry: 0 },
      ]),
    });
    expect(stub.requests.map(({ target }) => target)).toEqual(["/a", "/a", "/a", "/b"]);
    await stub.close();
  });

  it.each([
    [["--batch", "-", "--op", "x"], "--op is not supported with --batch"],
    [["--batch", "-", "--path", "/x"], "--path is not supported with --batch"],
    [["--batch", "-", "--select", "ok"], "--select is not supported with --batch"],
    [["--batch", "-", "--out", "x"], "--out is not supported with --batch"],
    [["--batch", "-", "--parallel", "0"], "--parallel can't be '0'"],
    [["--batch", "-", "--batch-output", "xml"], "--batch-output can't be 'xml'"],
    [["--batch", "/no/such"], "can't read the batch /no/such"],
    [["--batch", "-"], "the batch is empty"],
  ])("mistakes exit 2: %j", async (args, error) => {
    const { code, value } = await runJson(makePlace(demo), ["call", ...args]);
    expect([code, value]).toEqual([2, { ok: false, code: 2, error: expect.stringContaining(error) as string }]);
  });

  it.each([
    ["an object that was formatted", '{\n  "path": "/x"\n}\n'],
    ["one after blank lines and a byte order mark", '\ufeff\n\n{ "path": "/x",\n"id": 1}\n'],
    ["several of them", `${JSON.stringify(info, null, 2)}\n${JSON.stringify(info, null, 2)}\n`],
  ])("%s is one mistake, with what to do, and nothing is called", async (_what, input) => {
    const { code, stdout, stderr } = await runIn(makePlace(demo), ["call", "--batch", "-"], { input });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(
      "hawser: the batch needs one JSON object per line; an object that goes over several lines becomes one by: jq -c . <file>\n",
    );
  });

  it("an array may go over as many lines as it likes, and a broken line is one bad item", async () => {
    const array = await runIn(makePlace(demo), ["call", "--batch", "-"], { input: JSON.stringify([info, info], null, 2) });
    expect([array.code, array.stdout.trim().split("\n").length]).toEqual([0, 2]);
    const broken = await runIn(makePlace(demo), ["call", "--batch", "-"], { input: `{"path":\u0022/x\n${JSON.stringify(info)}\n` });
    const results = broken.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as BatchLine);
    expect([broken.code, results]).toMatchObject([2, [{ ok: false, code: 2 }, { ok: true }]]);
  });

  it("Ctrl-C cancels what runs, keeps the results so far, and exits 130", async () => {
    const stub = await startApiStub((request, response) => void (request.target === "/fast" && response.end("done")));
    const running = startIn(makePlace(stub), ["call", "--batch", "-", "--timeout", "60s"]);
    running.process.stdin.write(
      toLines([
        { id: 1, path: "/fast" },
        { id: 2, path: "/never" },
        { id: 3, path: "/fast" },
      ]),
    );
    await expect.poll(() => stub.requests.length, { timeout: 50_000 }).toBe(2);
    running.process.kill("SIGINT");
    const { code, stdout } = await running.ended;
    const results = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as BatchLine);
    expect([code, results]).toMatchObject([
      130,
      [
        { id: 1, ok: true },
        { id: 2, ok: false, code: 7 },
      ],
    ]);
    await stub.close();
  });
});
