// `hawser conform rpc` with real programs: our own server, and one that is none.

import { describe, expect, it } from "vitest";
import { builtHawser } from "../../../test/kit/built-hawser.ts";
import { makeCacheFolder, start, type Ended } from "./run-hawser.ts";

// In the form that starts quickly: it is started for every scenario.
const program = builtHawser;
// The suite gives each process an empty cache folder. What is in this one is compiled code: no scenario has a document that is kept.
const hawser = ["env", `XDG_CACHE_HOME=${makeCacheFolder()}`, process.execPath, program];
// On a busy machine the eight seconds that a call has by itself may pass before anything has happened.
const patientServer = [...hawser, "rpc", "--timeout", "50s"];
const only = (...ids: string[]): string[] => ids.flatMap((id) => ["--only", id]);

interface Report {
  readonly passed: number;
  readonly scenarios: readonly { id: string; outcome: string; failure?: object }[];
}

function conform(...args: string[]): Promise<Ended> {
  const running = start(["conform", "rpc", ...args], {}, [program]);
  running.process.stdin.end();
  return running.ended;
}

describe("hawser conform rpc", () => {
  it("R77-R111 H21-H30: passes `hawser rpc` in every scenario, also the additive ones", async () => {
    const { code, stdout, stderr } = await conform("--json", "--jobs", "6", "--timeout", "50000", "--", ...patientServer);
    const { passed, scenarios } = JSON.parse(stdout) as Report;
    expect(scenarios.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
    expect([code, stderr, passed]).toEqual([0, "", scenarios.length]);
    expect(passed).toBeGreaterThan(80);
  }, 300_000);

  it("takes {url} and {token} where a command wants them", async () => {
    const server = [...patientServer, "--gateway-url={url}", "--api-key={token}"];
    const { code, stdout } = await conform("--timeout", "50000", ...only("call", "token"), "--", ...server);
    expect(stdout).toMatch(/^✓ call .*\n✓ token .*\n\nrpc 1\.0\.0: 2 passed, 0 failed in /);
    expect(code).toBe(0);
  });

  it("exits 1 for a program that is no rpc server", async () => {
    const { code, stdout } = await conform(...only("hello", "workers-0"), "--", process.execPath, "-e", "0");
    expect(stdout).toContain("rpc 1.0.0: 0 passed, 2 failed in");
    expect(code).toBe(1);
  });

  it("shows the scenarios and marks what is additive", async () => {
    const { stdout } = await conform("--list");
    expect(stdout).toMatch(/^cancel-one-worker +\(additive\) cancel works with one worker/m);
    expect(stdout).toMatch(/^shutdown +shutdown is acknowledged/m);
  });
});
