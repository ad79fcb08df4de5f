// What an ACP agent under test is given, and what is seen of what it does.

import { existsSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { acpSubject, type AcpSubjectOptions } from "../src/acp-subject.ts";
import type { Channel, Session } from "../src/subject.ts";
import { isRunning } from "../../../test/kit/processes.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

interface Seen {
  readonly pid: number;
  readonly model: string;
  readonly config: string;
  readonly mine: string;
}

// Prints what it was given, and stays.
const program = `
  const { HAWSER_MODEL: model, XDG_CONFIG_HOME: config, MINE: mine } = process.env;
  console.log(JSON.stringify({ pid: process.pid, model, config, mine }));
  process.stdin.resume();
`;

const read = async ({ output }: Channel): Promise<Seen> => JSON.parse(String((await once(output, "data"))[0])) as Seen;

async function open(options: Partial<AcpSubjectOptions> = {}): Promise<{ session: Session; seen: Seen; given: Record<string, string> }> {
  const session = await acpSubject({ command: process.execPath, args: ["-e", program], ...options }).open();
  cleanups.push(() => session.close());
  return { session, seen: await read(session), given: session.given as Record<string, string> };
}

describe("acpSubject", () => {
  it("gives the agent a free model and folders of its own, unless it is told otherwise", async () => {
    const { seen, given } = await open();
    expect(seen).toMatchObject({ model: "offline" });
    expect(given["cwd"]?.startsWith(seen.config)).toBe(true);
    const other = await open({ env: { ...process.env, HAWSER_MODEL: "other" }, variables: { XDG_CONFIG_HOME: "/mine", MINE: "a=b" } });
    expect(other.seen).toMatchObject({ model: "other", config: "/mine", mine: "a=b" });
  });

  it("names prompts of its own where none are given", async () => {
    const { given } = await open({ prompts: { toolPrompt: "ls", slowPrompt: "" } });
    expect(given).toMatchObject({ prompt: "Hello", toolPrompt: "ls", slowPrompt: "" });
    expect(given["permissionPrompt"]).toContain("write");
  });

  it("copies a folder into the one of the session, and removes all of them at the end", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hawser-acp-"));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "agent.json"), "{}");
    const { session, given } = await open({ folder });
    const { cwd = "", otherFolder = "" } = given;
    expect(["agent.json", "hawser-conform-notes.txt", "README.md"].filter((name) => !existsSync(join(cwd, name)))).toEqual([]);
    expect(given["fileUri"]).toBe(`file://${cwd}/hawser-conform-notes.txt`);
    await session.close();
    expect([cwd, otherFolder].map((path) => existsSync(path))).toEqual([false, false]);
  });

  it("tells which files of the session's folder were added, changed or removed", async () => {
    const { session, given } = await open();
    const { cwd = "" } = given;
    expect(session.facts?.()).toMatchObject({ changes: [], mcpMethods: [] });
    writeFileSync(join(cwd, "new.txt"), "x");
    writeFileSync(join(cwd, "README.md"), "changed");
    unlinkSync(join(cwd, "hawser-conform-notes.txt"));
    const { changes } = session.facts?.() ?? {};
    expect((changes as string[]).toSorted()).toEqual(["README.md", "hawser-conform-notes.txt", "new.txt"]);
  });

  it("starts another process in the place of the first, in the same folders", async () => {
    const { session, seen } = await open();
    const again = await read((await session.connect?.()) as Channel);
    expect(again).toEqual({ ...seen, pid: again.pid });
    expect([seen.pid, again.pid].map(isRunning)).toEqual([false, true]);
    expect(session.process?.pid).toBe(again.pid);
    await session.close();
    expect(isRunning(again.pid)).toBe(false);
  });
});
