// `hawser conform rpc` with real programs: our own server, and one that is none; and the suite against our server in this process,
// where a start takes no time.

import { runSuite, suites, type Suite } from "@hawser/conformance";
import { describe, expect, it } from "vitest";
// What it is started with is no part of the package.
import { rpcSubject } from "../../conformance/src/rpc-subject.ts";
import { longTestsVariable } from "../../../scripts/tasks/long-tests.ts";
import { builtHawser } from "../../../test/kit/built-hawser.ts";
import { rpcHere } from "./runtime-here.ts";
import { makeCacheFolder, start, type Ended } from "./run-hawser.ts";

// In the form that starts quickly: it is started for every scenario.
const program = builtHawser;
// The suite gives each process an empty cache folder. What is in this one is compiled code: no scenario has a document that is kept.
const hawser = ["env", `XDG_CACHE_HOME=${makeCacheFolder()}`, process.execPath, program];
// On a busy machine the eight seconds that a call has by itself may pass before anything has happened.
const patientServer = [...hawser, "rpc", "--timeout", "50s"];
const only = (...ids: string[]): string[] => ids.flatMap((id) => ["--only", id]);

const isLong = process.env[longTestsVariable] !== undefined;
const suite = suites["rpc"] as Suite;

/** Wrong flags, what is on stderr, and a writer that is made to wait. */
const needsProcess = (id: string): boolean => /^(?:workers-|queue-size-|token-unseen$|back-pressure$)/.test(id);

/** Short and long lines, configuration files, and each way to end. */
const withPipes = ["hello", "split", "longest-line", "call", "reload-token", "shutdown", "shutdown-now", "end-of-input", "terminate"];

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
  it("R77-R111 H21-H30: our server passes every scenario that needs no process, also the additive ones", async () => {
    const here = suite.scenarios.map(({ id }) => id).filter((id) => !needsProcess(id));
    const { scenarios } = await runSuite(suite, rpcSubject({ command: "rpc" }, rpcHere), { timeoutMs: 50_000, only: here });
    expect(scenarios.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
    expect(scenarios.length).toBeGreaterThan(70);
  }, 300_000);

  it("R108-R111: `hawser rpc` passes where a process and its pipes take part; in the long form everywhere", async () => {
    const needed = suite.scenarios.map(({ id }) => id).filter(needsProcess);
    const chosen = isLong ? [] : only(...needed, ...withPipes);
    const { code, stdout, stderr } = await conform("--json", "--jobs", "6", "--timeout", "50000", ...chosen, "--", ...patientServer);
    const { passed, scenarios } = JSON.parse(stdout) as Report;
    expect(scenarios.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
    expect([code, stderr, passed]).toEqual([0, "", scenarios.length]);
    expect(passed).toBeGreaterThan(isLong ? 80 : 20);
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
