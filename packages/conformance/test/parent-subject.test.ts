// How a parent under test is started: what it must print, what it is given, and that nothing is left.

import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runSuite, suites, type CommandSubjectOptions, type Failure, type Subject, type Suite } from "../src/index.ts";
import { parentSubject } from "../src/parent-subject.ts";
import { plainParentSubject } from "./subjects.ts";

const suite = suites["parent"] as Suite;

const script = (code: string, startMs = 30_000): Subject => parentSubject({ command: process.execPath, args: ["-e", code], startMs });

/** Serves nothing, and writes and removes its schema file as fast as it can. */
const flickeringParent = `
  const socket = process.env.TMPDIR + "/a.sock", schema = process.env.TMPDIR + "/b.json";
  require("net").createServer(() => {}).listen(socket, () => {
    console.log(JSON.stringify({ type: "stdio", command: "x", args: [socket, schema] }));
    setInterval(() => {
      for (let i = 0; i < 500; i++) { fs.writeFileSync(schema, "[]"); fs.unlinkSync(schema); }
    });
  });`;

async function failureOf(subject: Subject): Promise<Failure | undefined> {
  const result = await runSuite(suite, subject, { only: ["call"], timeoutMs: 30_000 });
  return result.scenarios[0]?.failure;
}

describe.concurrent("parentSubject", () => {
  it("a command that ends without a configuration is reported with its exit and its stderr", async () => {
    const failure = await failureOf(script("console.error('no database'); process.exitCode = 4"));
    expect(failure).toMatchObject({ step: "1", verb: "start" });
    expect(failure?.got).toMatch(
      /^no configuration within 30000 ms: the command prints .*; it exited with code 4; its stderr: no database$/,
    );
  });

  it("a command that prints something else is reported with what it printed, after a bounded time", async () => {
    const failure = await failureOf(script("console.log('listening…'); setInterval(() => {}, 1000)", 8_000));
    expect(failure?.got).toMatch(/^no configuration within 8000 ms: .*; it printed listening…\\n$/);
  });

  it("a command that prints without end is not read without end", async () => {
    const failure = await failureOf(script("setInterval(() => process.stdout.write('x'.repeat(65536) + '\\n'), 1)"));
    expect(failure?.got).toMatch(/; it printed x{299}… \(\d+ characters\)$/);
  });

  it("a socket that nobody serves is reported with its path", async () => {
    const config = '{"type":"stdio","command":"x","args":["/nowhere/a.sock","/nowhere/b.json"]}';
    const failure = await failureOf(script(`console.log(${JSON.stringify(config)}); setInterval(() => {}, 1000)`));
    expect(failure?.got).toMatch(/^no program is listening at \/nowhere\/a\.sock/);
  });

  it("a configuration may have several lines and be followed by anything", async () => {
    const plain = plainParentSubject();
    const session = await plain.open();
    const printed = JSON.stringify(`${JSON.stringify(session.facts?.()["config"], null, 2)}\nserving\n`);
    expect(await failureOf(script(`process.stdout.write(${printed}); setInterval(() => {}, 1000)`))).toBeUndefined();
    await session.close();
  });

  it("R40 R49: starts it with the umask of the scenario, in a temporary folder that is removed after it", async () => {
    let given: CommandSubjectOptions | undefined;
    const subject = parentSubject({ command: "parent" }, (options) => {
      given = options;
      return Promise.reject(new Error("not started"));
    });
    await expect(subject.open({ umask: 0 })).rejects.toThrow("not started");
    expect(given).toMatchObject({ umask: 0, env: { TMPDIR: expect.stringMatching(/hwc-/) } });
    expect(existsSync(given?.env?.["TMPDIR"] ?? "")).toBe(false);
  });
});

// Not beside the others: it keeps this process busy.
it("R42: a schema file that goes away while it is looked at is a file that is not there", async () => {
  const session = await script(flickeringParent).open();
  const look = (): unknown => Array.from({ length: 10_000 }, () => session.facts?.()["schema"]);
  expect(look).not.toThrow();
  await session.close();
});
