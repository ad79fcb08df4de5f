// The body of `call` on its way to a pipe or a file: whole, at the reader's pace, in little memory.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApiStub, type ApiStub } from "../../../test/kit/api-stub.ts";
import { hawser, makePlace, runIn, startIn } from "./gateway-stage.ts";

const piece = Buffer.alloc(65_536, "x");
const pieces = 1_024;
let stub: ApiStub;
/** Lets the last piece of a body go. */
let release = (): void => {};
/** Pieces that have left the server. */
let sent = 0;

beforeAll(async () => {
  stub = await startApiStub(async ({ target }, response) => {
    response.writeHead(200, { "content-type": "application/octet-stream" });
    if (target === "/small") {
      response.end("small\n");
      return;
    }
    const { promise: released, resolve } = Promise.withResolvers<void>();
    release = resolve;
    for (sent = 0; sent < pieces && !response.destroyed; sent++) {
      if (target === "/held" && sent === pieces - 1) await released;
      await new Promise((resolve) => response.write(piece, resolve));
    }
    response.end();
  });
});
afterAll(() => stub.close());

const isLinux = process.platform === "linux";
const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(" ");

/** Runs a line of bash in which `$call` is the program. */
function runBash(line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const place = makePlace(stub);
  const call = quoted([process.execPath, hawser, "call", "--timeout", "60s"]);
  return promisify(execFile)("bash", ["-o", "pipefail", "-c", line.replaceAll("$call", call)], {
    env: { ...process.env, ...place.env },
    cwd: place.folder,
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
}

describe("a body of 64 MiB", () => {
  it.runIf(isLinux)("G10: reaches a slow pipe whole, at its pace and in little memory", async () => {
    const running = startIn(makePlace(stub), ["call", "--path", "/held"]);
    const { stdout, pid } = running.process;
    stdout.removeAllListeners("data").pause();
    // Nothing is read: what left the server lies in buffers of fixed size, far from all of it.
    let before = -1;
    while (sent === 0 || before !== sent) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(sent).toBeLessThan(pieces / 2);
    let bytes = 0;
    const peak = (): number => Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
    let peakMb = 0;
    const onText = (text: string): void => {
      bytes += text.length;
      if (peakMb > 0 || bytes < (pieces - 1) * piece.length) return;
      peakMb = peak();
      release();
    };
    stdout.on("data", onText).resume();
    expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
    expect(bytes).toBe(pieces * piece.length);
    expect(peakMb).toBeGreaterThan(0);
    expect(peakMb).toBeLessThan(192);
  });

  it.runIf(isLinux)("reaches a file whole; a reader that wants only its beginning is left quietly", async () => {
    expect(await runBash("$call --path /big > out; wc -c < out")).toMatchObject({
      code: 0,
      stdout: `${pieces * piece.length}\n`,
      stderr: "",
    });
    expect(await runBash("$call --path /big | head -c 3")).toEqual({ code: 0, stdout: "xxx", stderr: "" });
  });

  it.runIf(isLinux)("is an error where the disk takes only a part of it, also of the last piece", async () => {
    // Bash counts in blocks of 1,024 bytes. Node ignores the signal that comes with it, and is told EFBIG.
    const failed = { code: 1, stderr: expect.stringMatching(/^hawser: can't write the output: EFBIG: .*\n$/) };
    expect(await runBash("ulimit -f 100; $call --path /big > out")).toMatchObject(failed);
    expect(await runBash("head -c 1023 /dev/zero > out; ulimit -f 1; $call --path /small >> out")).toMatchObject(failed);
  });
});

describe("--include-headers", () => {
  it("stand before a body that goes to a pipe", async () => {
    const { stdout } = await runIn(makePlace(stub), ["call", "--path", "/small", "--include-headers"]);
    expect(stdout).toMatch(/^HTTP 200\n(?:[\w-]+: .*\n)*\nsmall\n$/);
    const out = join(makePlace().folder, "body");
    const saved = await runIn(makePlace(stub), ["call", "--path", "/small", "--include-headers", "--out", out]);
    expect([saved.stdout.startsWith("HTTP 200\n"), readFileSync(out, "utf8")]).toEqual([true, "small\n"]);
  });
});
