// Codex, Gemini CLI and opencode, as they are installed from the registry, call a function of a running program: with what
// `hawser expose --print` prints in their own configuration, and started by `hawser expose` for one run. Claude Code does
// the same in packages/hawser/test/expose-claude.test.ts.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "vitest";
import { exposedTools, startExpose } from "../../packages/hawser/test/expose-session.ts";
import { makeFolder } from "../../packages/hawser/test/run-hawser.ts";
import { realClients, type ClientStart } from "./real-clients.ts";
import { startEndpoint } from "./scripted-endpoint.ts";

interface Home {
  readonly home: string;
  readonly work: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Folders of its own for everything that a client may read or write. */
function makeHome(): Home {
  const home = makeFolder("home");
  const work = join(home, "work");
  mkdirSync(work);
  const places = Object.fromEntries(
    ["CACHE", "CONFIG", "DATA", "STATE"].map((name) => [`XDG_${name}_HOME`, join(home, name.toLowerCase())]),
  );
  return { home, work, env: { HOME: home, ...places } };
}

/** What the client says when it has ended. */
async function runClient(
  program: string,
  { args, env }: ClientStart,
  { work, env: places }: Home,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const client = spawn(program, args, {
    cwd: work,
    env: { PATH: process.env["PATH"], ...places, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve, reject) => client.once("error", reject).once("exit", resolve));
  const [code, stdout, stderr] = await Promise.all([ended, text(client.stdout), text(client.stderr)]);
  return { code, stdout, stderr };
}

const whyNot = "not installed: npm run test:clients does that, opencode on Linux x64 only";

describe.for(realClients)("$name", ({ name, printedEnd, program, prepare }) => {
  it("R60 calls a function of a running program, configured with what is printed for it", async ({ expect, skip }) => {
    skip(!existsSync(program), whyNot);
    const endpoint = await startEndpoint();
    const { running, left } = startExpose([exposedTools, "--name", "harbour", "--print", name]);
    const printed = await running.printed(printedEnd);
    const place = makeHome();
    const { code, stdout, stderr } = await runClient(program, prepare(place.home, endpoint.url, printed), place);
    running.process.kill("SIGINT");
    const ended = await running.ended;
    await endpoint.close();
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: expect.stringMatching(/the tool said .*counter.*4/) as string });
    // Only that program has this number.
    expect(stdout).toContain(`${running.process.pid}`);
    expect([ended.code, left()]).toEqual([0, []]);
  });

  it("R60 calls a function of hawser's process, started by it for one run", async ({ expect, skip }) => {
    skip(!existsSync(program), whyNot);
    const endpoint = await startEndpoint();
    const place = makeHome();
    const { args, env } = prepare(place.home, endpoint.url);
    const command = ["--name", "harbour", "--", program, ...args];
    const { running, left } = startExpose([exposedTools, ...command], { ...place.env, ...env });
    running.process.stdin.end();
    const { code, stdout, stderr } = await running.ended;
    await endpoint.close();
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: expect.stringMatching(/the tool said .*counter.*4/) as string });
    expect(stdout).toContain(`${running.process.pid}`);
    expect(left().filter((entry) => String(entry).includes("claudecode_ipc_"))).toEqual([]);
  });
});
