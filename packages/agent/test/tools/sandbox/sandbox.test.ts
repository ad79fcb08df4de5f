// Whether there is a sandbox, what the question about a command says of it, and that what was shown is what runs.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, type TestContext } from "vitest";
import { createAuditLog } from "../../../src/permissions/audit-log.ts";
import { createPolicy } from "../../../src/permissions/create-policy.ts";
import type { ToolCall } from "../../../src/permissions/policy.ts";
import { createRoots } from "../../../src/tools/files/roots.ts";
import { withPermit } from "../../../src/tools/files/permit.ts";
import { createRunCommand } from "../../../src/tools/run-command.ts";
import { findBubblewrap } from "../../../src/tools/sandbox/bubblewrap.ts";
import { toBubblewrapArguments } from "../../../src/tools/sandbox/mounts.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../../src/tools/sandbox/sandbox.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "hawser-sandbox-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const root = join(base, "root");
mkdirSync(root);
const roots = await createRoots([root]);

const missing = (): ReturnType<typeof findBubblewrap> => findBubblewrap([join(base, "nowhere")]);
/** As if it worked, where only the decision is looked at. */
const pretended = async () => ({ program: "/usr/bin/bwrap", has: new Set<never>(), privateEntries: [] });

async function sandboxWith(options: SandboxOptions): Promise<Sandbox> {
  const sandbox = createSandbox(options);
  await sandbox.whenKnown();
  return sandbox;
}

async function realSandbox(context: TestContext, options: Omit<SandboxOptions, "mode"> = {}): Promise<Sandbox> {
  const sandbox = await sandboxWith({ ...options, mode: "require" });
  const problem = sandbox.problem();
  if (problem !== undefined) context.skip(problem);
  return sandbox;
}

const context = { signal: new AbortController().signal, progress() {}, log() {}, client: undefined };
const inShell = (sandbox: Sandbox, script: string, allowed = "sh"): Promise<unknown> =>
  Promise.resolve(
    createRunCommand({ roots, allowedCommands: [allowed], sandbox }).run({ command: allowed, args: ["-c", script] } as never, context),
  );

let count = 0;
const call = (args: readonly string[] = ["status"]): ToolCall => ({
  conversationId: "one",
  toolId: `t${++count}`,
  toolName: "run_command",
  input: { command: "git", args },
  isReadOnly: false,
});

describe("the mode of the sandbox", () => {
  it("auto: where bubblewrap is missing, commands run without it, and the status says why", async () => {
    const sandbox = await sandboxWith({ mode: "auto", find: missing });
    const reason = expect.stringMatching(/not installed|needs Linux/);
    expect(sandbox.status()).toEqual({ mode: "auto", state: "off", network: true, reason });
    expect(await inShell(sandbox, "echo ran")).toMatchObject({ stdout: "ran\n" });
  });

  it("require: where bubblewrap is missing, no command runs, and it is said why", async () => {
    const sandbox = await sandboxWith({ mode: "require", find: missing });
    await expect(inShell(sandbox, "echo ran > ran")).rejects.toThrow(/a sandbox is required, and there is none: bubblewrap/);
    const verdict = createPolicy({ roots, sandbox, rules: [{ tool: "run_command", decision: "allow" }] }).decide(call());
    expect(verdict).toMatchObject({ decision: "deny", reason: expect.stringContaining("a sandbox is required") });
  });

  it("a bubblewrap that can't make a sandbox is as good as none, and its own words are the reason", async () => {
    const folder = join(base, "broken");
    mkdirSync(folder);
    writeFileSync(join(folder, "bwrap"), "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n", { mode: 0o755 });
    const sandbox = await sandboxWith({ mode: "auto", find: () => findBubblewrap([folder]) });
    expect(sandbox.status()).toMatchObject({ state: "off", reason: expect.stringContaining("No permissions to create new namespace") });
  });

  it("is unused until a command may run, then being checked, and is looked for once", async () => {
    let looked = 0;
    const sandbox = createSandbox({ mode: "auto", find: () => (looked++, pretended()) });
    expect(sandbox.status().state).toBe("unused");
    const known = [sandbox.whenKnown(), sandbox.whenKnown()];
    expect(sandbox.status().state).toBe("checking");
    await Promise.all(known);
    expect([sandbox.status().state, looked]).toEqual(["on", 1]);
  });
});

describe("a decision about a command", () => {
  it.each([
    [{ mode: "auto", find: pretended } as const, { sandboxed: true, network: false }, "in the sandbox, without the network"],
    [{ mode: "auto", network: true, find: pretended } as const, { sandboxed: true, network: true }, "in the sandbox, with the network"],
    [{ mode: "off" } as const, { sandboxed: false, network: true }, "without a sandbox (it is switched off), with all your rights"],
  ])("G17 says where and how it runs: %o", async (options, containment, words) => {
    const policy = createPolicy({ roots, sandbox: await sandboxWith(options) });
    const { reason, runs, permit } = policy.decide(call());
    expect(reason).toContain(words);
    expect(reason).toContain(` in ${root}.`);
    expect([runs, permit?.runs]).toEqual([
      { folder: root, ...containment },
      { folder: root, ...containment },
    ]);
  });

  it("G17 holds the command to it: where the sandbox is another one by then, nothing runs", async () => {
    const decided = createPolicy({ roots, sandbox: await sandboxWith({ mode: "auto", find: pretended }) }).decide(call());
    const tool = createRunCommand({ roots, allowedCommands: ["git"], sandbox: await sandboxWith({ mode: "off" }) });
    const running = Promise.resolve(tool.run({ command: "git", args: ["status"] } as never, withPermit(context, decided.permit)));
    await expect(running).rejects.toThrow("the sandbox is not what was decided about");
  });

  it("G17 an answer for always that was given for the sandbox does not count outside of it, but the other way round it does", async () => {
    const remembered: unknown[] = [];
    const file = {
      rules: () => [],
      problem: () => undefined,
      append: (rule: unknown) => void remembered.push(rule),
      close: async () => {},
    };
    const inside = createPolicy({ roots, remembered: file, sandbox: await sandboxWith({ mode: "auto", find: pretended }) });
    const first = call();
    expect(inside.decide(first).reason).toContain("with exactly these arguments, in this sandbox");
    inside.allowAlways(first);
    expect(inside.decide(call()).decision).toBe("allow");
    const rule = { tool: "run_command", match: { command: "git", args: ["status"], sandbox: "on" }, decision: "allow" } as const;
    expect(remembered).toEqual([rule]);
    const outside = await sandboxWith({ mode: "off" });
    expect(createPolicy({ roots, rules: [rule], sandbox: outside }).decide(call()).decision).toBe("ask");
    expect(createPolicy({ roots, rules: [rule] }).decide(call()).decision).toBe("ask");
    const wide = { ...rule, match: { command: "git", args: ["status"] } };
    const sandbox = await sandboxWith({ mode: "auto", find: pretended });
    expect(createPolicy({ roots, rules: [wide], sandbox }).decide(call()).decision).toBe("allow");
  });

  it("a rule may allow whatever runs in the sandbox; what a model says of it counts for nothing", async () => {
    const rules = [{ tool: "run_command", match: { sandbox: "on" }, decision: "allow" }] as const;
    const sandbox = await sandboxWith({ mode: "auto", find: pretended });
    expect(createPolicy({ roots, rules, sandbox }).decide(call(["push"])).decision).toBe("allow");
    const lie = { ...call(), input: { command: "git", args: [], sandbox: "on" } };
    expect(createPolicy({ roots, rules, sandbox: await sandboxWith({ mode: "off" }) }).decide(lie).decision).toBe("ask");
  });

  it("leaves a line in the audit log that says how it ran", async () => {
    const path = join(base, "audit.jsonl");
    const audit = createAuditLog({ path });
    const policy = createPolicy({ roots, audit, sandbox: await sandboxWith({ mode: "auto", find: pretended }) });
    const asked = call();
    policy.decide(asked);
    policy.note(asked, { decision: "allow", by: "the user", via: "click" });
    await audit.close();
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
      decision: "allow",
      runs: { folder: root, sandboxed: true, network: false },
    });
  });
});

describe("what a command sees", () => {
  it("has the network where that is allowed", async (test) => {
    const sandbox = await realSandbox(test, { network: true });
    const server = createServer((socket) => socket.end("reached")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const read = `require("node:net").connect(${port}, "127.0.0.1").pipe(process.stdout)`;
    const tool = createRunCommand({ roots, allowedCommands: [process.execPath], sandbox });
    const result = await tool.run({ command: process.execPath, args: ["-e", read] } as never, context);
    server.close();
    expect(result).toMatchObject({ stdout: "reached", exitCode: 0 });
  });

  it("reads what `read` names, also by a link, and does not write it; what is not there is left out", async (test) => {
    const home = join(base, "home");
    mkdirSync(join(home, "elsewhere"), { recursive: true });
    writeFileSync(join(home, "elsewhere/config"), "known");
    symlinkSync("elsewhere/config", join(home, ".toolrc"));
    const sandbox = await realSandbox(test, { home, read: [join(home, ".toolrc"), join(home, "none")] });
    expect(await inShell(sandbox, `cat ${home}/.toolrc; ls -A ${home}; echo x >> ${home}/.toolrc`)).toMatchObject({
      stdout: "known.toolrc\n",
      stderr: expect.stringContaining("Read-only file system"),
    });
  });

  it("does not see the data of conversations, not even where `read` or a root holds it", async (test) => {
    const data = join(root, "state/hawser");
    mkdirSync(join(data, "conversations"), { recursive: true });
    writeFileSync(join(data, "conversations/other"), "secret");
    const all = [data, join(data, "conversations")];
    expect(await inShell(await realSandbox(test, { hidden: all }), "find state; cat state/hawser/conversations/other")).toMatchObject({
      stdout: "state\nstate/hawser\n",
    });
    const readable = join(base, "readable");
    mkdirSync(join(readable, "hawser"), { recursive: true });
    writeFileSync(join(readable, "hawser/audit.jsonl"), "secret");
    const reading = await realSandbox(test, { home: readable, read: [readable], hidden: [join(readable, "hawser")] });
    expect(await inShell(reading, `find ${readable}`)).toMatchObject({ stdout: `${readable}\n${readable}/hawser\n` });
    // A root inside of it: then each of its entries is hidden.
    const inner = await createRoots([data]);
    const tool = createRunCommand({ roots: inner, allowedCommands: ["sh"], sandbox: await realSandbox(test, { hidden: all }) });
    expect(await tool.run({ command: "sh", args: ["-c", "ls; ls conversations"] } as never, context)).toMatchObject({
      stdout: "conversations\n",
    });
  });

  it("does not see them in a folder of the system either, nor a home that lies there, except one among the programs", (test) => {
    if (process.platform !== "linux") test.skip("bubblewrap needs Linux");
    const place = { roots: [root], folder: root, reads: [], readOnly: [], hidden: ["/usr/share"], network: false };
    const argumentsFor = (home: string): string =>
      toBubblewrapArguments({ program: "", has: new Set(), privateEntries: [] }, { ...place, home }).join(" ");
    expect(argumentsFor("/opt/service")).toMatch(/--tmpfs \/opt\/service .*--tmpfs \/usr\/share --remount-ro \/usr\/share/);
    expect(argumentsFor("/usr/sbin")).not.toContain("--tmpfs /usr/sbin");
  });

  it("ends when its time is over, and when it is cancelled, with all that it has started", async (test) => {
    const sandbox = await realSandbox(test);
    const args = ["-c", "trap '' TERM; echo begun; sleep 600; echo ended"];
    let said: unknown = "";
    // With more time the next time: a busy machine may need all of it to start the shell.
    for (let commandTimeoutMs = 1_000; commandTimeoutMs <= 25_000 && said === ""; commandTimeoutMs *= 5) {
      const tool = createRunCommand({ roots, allowedCommands: ["sh"], sandbox, commandTimeoutMs });
      const result = await tool.run({ command: "sh", args } as never, context);
      expect(result).toMatchObject({ timedOut: true });
      said = (result as { stdout: unknown }).stdout;
    }
    expect(said).toBe("begun\n");
  });

  it("gives the exit code and the output of the command, and says when the sandbox itself fails", async (test) => {
    const sandbox = await realSandbox(test);
    expect(await inShell(sandbox, "echo out; echo err >&2; exit 3")).toEqual({ exitCode: 3, stdout: "out\n", stderr: "err\n" });
    const gone = await createRoots([root, join(root, "state")]);
    rmSync(join(root, "state"), { recursive: true });
    const tool = createRunCommand({ roots: gone, allowedCommands: ["sh"], sandbox });
    await expect(Promise.resolve(tool.run({ command: "sh", args: ["-c", "true"] } as never, context))).rejects.toThrow(
      /could not be started in the sandbox/,
    );
  });
});
