// Results that are too large for a client: a private file, a preview and a link; bounded, and gone in time.

import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { defineTool, it, type Message } from "./bridges.ts";
import { isRunning } from "../../../../test/kit/processes.ts";
import { until } from "../../../../test/kit/until.ts";
import { quickBridge } from "./quick-bridge.ts";
import { textAnswer, unknownMethod } from "./raw-parent.ts";

const input = { type: "object" } as const;
const large = defineTool({ name: "large", description: "", input, run: ({ bytes }) => "é".repeat(Number(bytes) / 2) });

const linkOf = (result: Message): { uri: string; size: number; mimeType: string; name: string } => result.content[1];
const pathOf = (result: Message): string => fileURLToPath(linkOf(result).uri);
const modeOf = (path: string): number => fs.statSync(path).mode & 0o777;

describe("a session that names its directory", () => {
  it("H18: a large text is a 0600 file in it, with a preview and a link; it goes with the session", async ({ serve, start }) => {
    const session = await serve([large]);
    const bridge = start(session.mcpServerConfig);
    await bridge.initialize();
    const result = await bridge.call("large", { bytes: 5_000_000 });
    const path = pathOf(result);
    expect(result).toEqual({
      content: [
        { type: "text", text: expect.any(String) as string },
        {
          type: "resource_link",
          uri: expect.stringMatching(/^file:/) as string,
          name: expect.stringMatching(/^result-.*\.txt$/) as string,
          mimeType: "text/plain",
          size: 5_000_000,
        },
      ],
    });
    expect(result.content[0].text).toBe(
      `The result has 5000000 bytes, more than the 4000000 that are sent to a client. The whole is in the file ${path}; it begins:\n\n${"é".repeat(2_000)}`,
    );
    expect(path.startsWith(session.socketPath.replace(/\.sock$/, ".d/"))).toBe(true);
    expect(modeOf(path)).toBe(0o600);
    expect(fs.readFileSync(path, "utf8")).toBe("é".repeat(2_500_000));
    await session.stop();
    expect(fs.existsSync(path)).toBe(false);
  });

  it("H18: what fits is sent as it is, and --max-result-bytes moves the border", async ({ serve, start }) => {
    const bridge = start((await serve([large])).mcpServerConfig, { options: ["--max-result-bytes", "1000"] });
    await bridge.initialize();
    expect((await bridge.call("large", { bytes: 900 })).content).toEqual([{ type: "text", text: "é".repeat(450) }]);
    expect((await bridge.call("large", { bytes: 1_000 })).content[1].type).toBe("resource_link");
  });

  it("H18 H9: a result of more than one text is kept whole as JSON; isError stays", async ({ serve, start }) => {
    const whole = {
      content: [
        { type: "text", text: "x".repeat(2_000) },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ],
      isError: true,
    };
    const bridge = start((await serve([defineTool({ name: "mixed", description: "", input, run: () => whole })])).mcpServerConfig, {
      options: ["--max-result-bytes", "1000"],
    });
    await bridge.initialize();
    const result = await bridge.call("mixed");
    expect(result.isError).toBe(true);
    expect(linkOf(result)).toMatchObject({ mimeType: "application/json", size: fs.statSync(pathOf(result)).size });
    expect(JSON.parse(fs.readFileSync(pathOf(result), "utf8"))).toEqual(whole);
  });

  it("H18: an object whose text says the same is kept as that text", async ({ serve, start }) => {
    const value = { rows: Array.from({ length: 500 }, (_, id) => ({ id })) };
    const bridge = start((await serve([defineTool({ name: "rows", description: "", input, run: () => value })])).mcpServerConfig, {
      options: ["--max-result-bytes", "1000"],
    });
    await bridge.initialize();
    expect(JSON.parse(fs.readFileSync(pathOf(await bridge.call("rows")), "utf8"))).toEqual(value);
  });

  it("H18: a preview never ends in half a character", async ({ serve, start }) => {
    const bridge = start(
      (await serve([defineTool({ name: "odd", description: "", input, run: () => `x${"💥".repeat(2_000)}` })])).mcpServerConfig,
      {
        options: ["--max-result-bytes", "1000"],
      },
    );
    await bridge.initialize();
    expect((await bridge.call("odd")).content[0].text.isWellFormed()).toBe(true);
  });

  it("H18 G10: the total is bounded; then the result is an error that says so", async ({ serve, start }) => {
    const [config, options] = quickBridge((await serve([large])).mcpServerConfig, { maxSpillBytes: 25_000, maxResultBytes: 8_000 });
    const bridge = start(config, options);
    await bridge.initialize();
    const results = [];
    for (let round = 0; round < 4; round++) results.push(await bridge.call("large", { bytes: 10_000 }));
    expect(results.map(({ isError }) => isError)).toEqual([undefined, undefined, true, true]);
    expect(results[2].content[0].text).toContain("No room is left to keep it in a file; ask for less.");
    expect((await bridge.call("large", { bytes: 100 })).isError).toBeUndefined();
  });
});

describe("a parent that names no directory", () => {
  const answer = (frame: Message, { send }: { send(frame: object): void }): void =>
    send(frame.method === "hello" ? unknownMethod : textAnswer("x".repeat(10_000)));
  const options = ["--max-result-bytes", "1000"];

  it.for(["SIGTERM", "SIGINT", "end of input"] as const)(
    "H18 G9: the file is in a 0700 directory of the bridge's own, gone after %s",
    async (end, { directory, parent, start }) => {
      const raw = await parent({ onFrame: answer });
      const bridge = start(raw.config, { options });
      await bridge.initialize();
      const path = pathOf(await bridge.call("echo"));
      expect(path).toMatch(new RegExp(`^${directory}/claudecode_ipc_[0-9a-f]{32}\\.d/result-[0-9a-f-]{36}\\.txt$`));
      expect([modeOf(join(path, "..")), modeOf(path)]).toEqual([0o700, 0o600]);
      expect(join(pathOf(await bridge.call("echo")), "..")).toBe(join(path, ".."));
      if (end === "end of input") bridge.process.stdin.end();
      else bridge.process.kill(end);
      expect((await bridge.exited).code).toBe(0);
      expect(fs.existsSync(join(path, ".."))).toBe(false);
    },
  );

  it("G9: after SIGKILL the directory has a name that the next session sweeps; while the bridge lives it stays young", async ({
    parent,
    start,
  }) => {
    const raw = await parent({ onFrame: answer });
    const [config, quick] = quickBridge(raw.config, { staleSocketMs: 400, maxResultBytes: 1_000 });
    const bridge = start(config, quick);
    await bridge.initialize();
    const directory = join(pathOf(await bridge.call("echo")), "..");
    const long = new Date(Date.now() - 3_600_000);
    fs.utimesSync(directory, long, long);
    await until(() => Date.now() - fs.statSync(directory).mtimeMs < 60_000, 30_000, "it was touched");
    bridge.process.kill("SIGKILL");
    await until(() => !isRunning(bridge.pid), 30_000, "it is dead");
    expect(directory).toMatch(/\/claudecode_ipc_[0-9a-f]{32}\.d$/);
    expect(fs.existsSync(directory)).toBe(true);
  });

  it("H18 G9: beside a socket of the contract's name the directory lies beside it, and the next session there sweeps it after SIGKILL", async ({
    directory,
    parent,
    serve,
    start,
  }) => {
    const raw = await parent({ onFrame: answer, socketName: `claudecode_ipc_${"0".repeat(32)}.sock` });
    const elsewhere = join(directory, "elsewhere");
    fs.mkdirSync(elsewhere);
    const bridge = start(raw.config, { options, env: { TMPDIR: elsewhere } });
    await bridge.initialize();
    const own = join(pathOf(await bridge.call("echo")), "..");
    expect(join(own, "..")).toBe(directory);
    expect(modeOf(own)).toBe(0o700);
    bridge.process.kill("SIGKILL");
    await bridge.exited;
    await (await serve([large])).stop();
    expect(fs.existsSync(own)).toBe(true);
    const long = new Date(Date.now() - 61_000);
    fs.utimesSync(own, long, long);
    await serve([large]);
    await until(() => !fs.existsSync(own), 30_000, "it was swept");
    expect(fs.readdirSync(elsewhere)).toEqual([]);
  });

  it("H18: a directory that is not there is replaced by the bridge's own; with no place at all the call is a clear error", async ({
    directory,
    parent,
    start,
  }) => {
    const missing = join(directory, "missing");
    const hello = { result: { content: [{ type: "text", text: "" }], hello: { features: [], privateDirectory: missing } } };
    const raw = await parent({ onFrame: (frame, { send }) => send(frame.method === "hello" ? hello : textAnswer("x".repeat(10_000))) });
    const bridge = start(raw.config, { options });
    await bridge.initialize();
    expect(pathOf(await bridge.call("echo"))).toContain(`${directory}/claudecode_ipc_`);
    const homeless = start(raw.config, { options, env: { TMPDIR: missing } });
    await homeless.initialize();
    const result = await homeless.call("echo");
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toMatch(/^The result has 10000 bytes.* It can't be kept in a file either: ENOENT/);
    expect((await homeless.request("tools/list")).result.tools).toHaveLength(1);
  });
});

describe("depth", () => {
  it("G14: a result nested too deeply for some readers arrives as its JSON text", async ({ parent, start }) => {
    const nested = (levels: number): object => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`) as object;
    const resultOf = (levels: number): object => ({ content: [{ type: "text", text: "deep" }], structuredContent: nested(levels) });
    const raw = await parent({
      onFrame: (frame, { send }) => send(frame.method === "hello" ? unknownMethod : { result: resultOf(frame.params.arguments.levels) }),
    });
    const bridge = start(raw.config);
    await bridge.initialize();
    expect(await bridge.call("echo", { levels: 125 })).toEqual(resultOf(125));
    expect(await bridge.call("echo", { levels: 126 })).toEqual({ content: [{ type: "text", text: JSON.stringify(resultOf(126)) }] });
  });
});
