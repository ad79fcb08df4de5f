// stdout belongs to the protocol, whatever it is connected to and whoever else prints.

import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { guardStdout } from "../../src/process/stdout-guard.ts";
import { fixturePath, it, until, type Program } from "./real-programs.ts";

const waysToPrint = [...fs.readFileSync(fixturePath("process-noise.ts"), "utf8").matchAll(/^ {2}"(.+)": \(\) =>/gm)].map(
  ([, name]) => name ?? "",
);

async function talk(program: Program): Promise<void> {
  for (let id = 0; id < 20; id++) program.write(JSON.stringify({ id: String(id), kind: "echo", value: id }));
  // Not before all has been printed twice: after the end of its input it has ten seconds, and a busy machine takes longer.
  await until(() => program.stderr.split("noise: a worker's console.log").length > 2, 150_000, "the noise is over");
  program.process.stdin?.end();
  expect(await program.ended).toEqual({ code: 0, signal: null });
}

function expectOnlyProtocol(stdout: string): void {
  const messages = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  expect(messages).toEqual(Array.from({ length: 20 }, (_, id) => ({ id: String(id), type: "echoed", value: id })));
}

function expectNoise(stderr: string): void {
  expect(waysToPrint.length).toBe(19);
  const missing = waysToPrint.filter(
    (name) => stderr.split(name).length < 3 && stderr.split(Buffer.from(`noise: ${name}\n`).toString()).length < 3,
  );
  expect(missing).toEqual([]);
  expect(stderr.match(/noise: after the end/g)).toHaveLength(2);
}

describe.concurrent("a process whose code and libraries print to stdout", () => {
  it("G7, BRG-11 sends nothing but its protocol down a socket pair, and the noise to stderr", async ({ start }) => {
    const program = start("process-noise.ts");
    await talk(program);
    expect(program.stderr).toContain("stdout is a socket");
    expectOnlyProtocol(program.stdout);
    expectNoise(program.stderr);
  });

  it("G7, BRG-11 sends nothing but its protocol down a pipe", async ({ start }) => {
    const program = start("process-noise.ts", { after: "| cat" });
    await talk(program);
    expect(program.stderr).toContain("stdout is a pipe");
    expectOnlyProtocol(program.stdout);
    expectNoise(program.stderr);
  });

  it("G7, BRG-11 writes nothing but its protocol into a file", async ({ directory, start }) => {
    const path = join(directory, "stdout");
    const descriptor = fs.openSync(path, "w");
    const program = start("process-noise.ts", { stdio: ["pipe", descriptor, "pipe"] });
    await talk(program);
    fs.closeSync(descriptor);
    expect(program.stderr).toContain("stdout is a file");
    expectOnlyProtocol(fs.readFileSync(path, "utf8"));
    expectNoise(program.stderr);
  });
});

describe.concurrent("a stderr that nobody reads", () => {
  it("RUN-13, G10 neither stops the process nor fills its memory nor fails whoever prints, at 400 MB of it", async ({ start }) => {
    const program = start("process-chatty.ts", { stdio: ["pipe", "pipe", "pipe"] });
    program.process.stderr?.pause();
    for (const way of ["log", "console.error", "console.log", "writeSync"]) program.write(JSON.stringify({ way }));
    // Its input ends when it has answered: after that it has ten seconds, and a busy machine takes longer.
    await program.whenPrinted('"way":"writeSync"');
    program.process.stdin?.end();
    const answers = program.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { way: string; failures: number; rss: number });
    expect(answers.map(({ way, failures }) => ({ way, failures }))).toEqual(
      ["log", "console.error", "console.log", "writeSync"].map((way) => ({ way, failures: 0 })),
    );
    for (const { rss } of answers) expect(rss).toBeLessThan(256_000_000);
    expect(await program.exited).toEqual({ code: 0, signal: null });
  });
});

describe.concurrent("a stderr that is read again", () => {
  it.for(["console.error", "console.log"])("G10 tells of each byte of %s that was dropped once", async (way, { start }) => {
    const program = start("process-chatty.ts");
    program.process.stderr?.pause();
    program.write(JSON.stringify({ way }));
    await program.whenPrinted(`"way":"${way}"`);
    program.process.stderr?.resume();
    await program.whenPrinted("x\n", "stderr");
    // What was held has to leave first; until then a line more is dropped, too.
    let asked = 0;
    while (!program.stderr.includes("one more\n")) {
      program.write(JSON.stringify({ way: "log-once" }));
      asked++;
      await delay(50);
    }
    program.process.stdin?.end();
    await program.ended;
    const notices = [...program.stderr.matchAll(/\[hawser\] (\d+) bytes dropped: stderr is not being read\n/g)];
    // The pipe may have been emptied in between, too: then there is more than one.
    expect(notices).not.toHaveLength(0);
    const told = notices.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
    const kept = program.stderr.match(/x+\n/g)?.join("").length ?? 0;
    const lost = asked - (program.stderr.match(/one more\n/g)?.length ?? 0);
    expect(kept + told).toBe(1_600 * 65_537 + lost * "one more\n".length);
  });
});

describe.concurrent("a stderr that is closed", () => {
  it("does not end the process, nor fails whoever prints", async ({ start }) => {
    const program = start("process-chatty.ts");
    program.process.stderr?.destroy();
    for (const way of ["log", "console.error", "console.log", "writeSync"]) program.write(JSON.stringify({ way }));
    await program.whenPrinted('"way":"writeSync"');
    program.process.stdin?.end();
    expect(await program.ended).toEqual({ code: 0, signal: null });
    const answers = program.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { failures: number });
    expect(answers.map(({ failures }) => failures)).toEqual([0, 0, 0, 0]);
  });
});

describe("guardStdout", () => {
  it("leaves writing to other descriptors as it was, also for promisify", async ({ directory }) => {
    const path = join(directory, "file");
    const guard = guardStdout();
    try {
      const descriptor = fs.openSync(path, "w");
      expect(await promisify(fs.write)(descriptor, "one ")).toEqual({ bytesWritten: 4, buffer: "one " });
      expect(fs.writeSync(descriptor, "two")).toBe(3);
      fs.closeSync(descriptor);
      expect(() => fs.writeSync(descriptor, "three")).toThrow("EBADF");
      expect(() => fs.writeSync(1, 5 as unknown as string)).toThrow(TypeError);
    } finally {
      guard.release();
    }
    expect(fs.readFileSync(path, "utf8")).toBe("one two");
  });

  it("gives everything back when it is released", () => {
    const now = (): unknown[] => [
      process.stdout.write,
      process.stdout.end,
      process.stderr.write,
      fs.write,
      fs.writeSync,
      fs.writeFileSync,
      fs.appendFile,
    ];
    const before = now();
    const guard = guardStdout();
    expect(now().some((value, index) => value === before[index])).toBe(false);
    guard.release();
    expect(now()).toEqual(before);
  });
});
