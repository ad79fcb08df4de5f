// Faults of an ACP agent: each is one clear `error`, and the next message works.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { peakMegabytes } from "../../../test/kit/processes.ts";
import { errorOf, isAlive, makeHome, openRuntime, textOf, whenStill, type RuntimeOptions } from "./runtime-stage.ts";

const withFlags = (flags: readonly string[], more: RuntimeOptions = {}) => openRuntime({ agents: { scripted: flags, whole: [] }, ...more });
const next = { metadata: { conversationId: "one", model: "acp/whole" } };

/** A small folder beside the one it works in: all of a root is looked at before an agent's turn. */
function makeElsewhere(home: string): string {
  const folder = join(home, "elsewhere");
  mkdirSync(folder);
  return folder;
}

describe("an agent that can't be used", () => {
  it("a program that is not there is said with what to check, or to install", async () => {
    const runtime = await openRuntime({ env: { PATH: "/nonexistent" } });
    const missing = { metadata: { conversationId: "one", model: "acp/codex" } };
    expect(errorOf(await runtime.say("hello", "one", missing))).toBe(
      'Not possible: acp/codex can\'t be used: codex-acp is not on the PATH; run: npm install -g @agentclientprotocol/codex-acp. The model "offline" needs nothing',
    );
    const unknown = { metadata: { conversationId: "one", model: "acp/nobody" } };
    expect(errorOf(await runtime.say("hello", "one", unknown))).toContain("there is no agent of that name; known are scripted, codex,");
    expect(textOf(await runtime.say("say next"))).toBe("next");
    await runtime.close();
  });

  it("one that is not logged in is said with its ways to log in", async () => {
    const runtime = await withFlags(["--auth"]);
    expect(errorOf(await runtime.say("say x"))).toBe(
      "Not possible: acp/scripted is not logged in; log in with its own program. It knows: Log in (with the harbour's key)",
    );
    expect(textOf(await runtime.say("say next", "one", next))).toBe("next");
    await runtime.close();
  });

  it("a well-known one that is not logged in is said with the command that logs in", async () => {
    const runtime = await openRuntime({ agents: { codex: ["--auth"] } });
    expect(errorOf(await runtime.say("say x"))).toBe("Not possible: acp/codex is not logged in; run: codex login, or set OPENAI_API_KEY");
    await runtime.close();
    // Goose has no code for it.
    const unset = await openRuntime({ agents: { goose: ["--unset"] } });
    expect(errorOf(await unset.say("say x"))).toBe("Not possible: acp/goose is not logged in; run: goose configure");
    await unset.close();
  });

  it("one of another protocol version is said with both versions", async () => {
    const runtime = await withFlags(["--version=2"]);
    expect(errorOf(await runtime.say("say x"))).toContain("acp/scripted speaks version 2 of ACP, and Hawser version 1");
    expect(textOf(await runtime.say("say next", "one", next))).toBe("next");
    await runtime.close();
  });

  it("one that answers `initialize` with nonsense is said to, and what it tells wrongly besides counts as not told", async () => {
    const wrong = ["null", "[]", "{}", '{"protocolVersion":{"major":1}}'];
    const odd = '{"protocolVersion":1,"agentCapabilities":null,"agentInfo":5,"authMethods":[null,"x"]}';
    const runtime = await openRuntime({
      agents: {
        ...Object.fromEntries(wrong.map((result, at) => [`wrong${at}`, [`--initialize={"result":${result}}`]])),
        refusing: ['--initialize={"error":"a text"}'],
        odd: [`--initialize={"result":${odd}}`],
        late: [`--initialize={"result":${odd}}`, "--auth"],
      },
    });
    const tellTo = (name: string) => runtime.say("say fine", name, { metadata: { conversationId: name, model: `acp/${name}` } });
    for (const [at] of wrong.entries())
      expect(errorOf(await tellTo(`wrong${at}`))).toContain(
        `acp/wrong${at} answers initialize with something else than ACP has; install a version of it that fits`,
      );
    expect(errorOf(await tellTo("refusing"))).toContain("acp/refusing says: Invalid request");
    expect(textOf(await tellTo("odd"))).toBe("fine");
    expect(errorOf(await tellTo("late"))).toBe("Not possible: acp/late is not logged in; log in with its own program");
    await runtime.close();
  });
});

describe("an agent that fails during a turn", () => {
  it("dies: its end and its last words are said, and the next message resumes", async () => {
    const runtime = await openRuntime();
    await runtime.say("say first");
    const said = await runtime.say("say so far\ndie");
    expect(textOf(said)).toBe("so far");
    expect(errorOf(said)).toBe(
      "Connection lost: acp/scripted ended with exit code 3; its last words: the scripted agent was told to die. Send the message again to start it anew",
    );
    expect(JSON.parse(textOf(await runtime.say("recall")))).toEqual(["say first", "say so far\ndie"]);
    await runtime.close();
  });

  it("is killed: the same", async () => {
    const runtime = await openRuntime();
    const pid = Number(textOf(await runtime.say("pid")));
    const id = runtime.begin("say so far\nwait");
    await runtime.next((response) => response.type === "token" && response.id === id);
    process.kill(pid, "SIGKILL");
    expect(errorOf(await runtime.endOf(id))).toContain("acp/scripted ended with SIGKILL");
    expect(textOf(await runtime.say("say next"))).toBe("next");
    await runtime.close();
  });

  it("writes garbage: it is logged and skipped", async () => {
    const runtime = await openRuntime();
    const garbage = [
      "raw not json",
      'raw {"a":1}',
      'raw {"jsonrpc":"2.0","id":"what","result":{}}',
      "raw []",
      'raw {"jsonrpc":"2.0","id":77,"method":"fs/nonsense"}',
    ];
    const said = await runtime.say([...garbage, "say after"].join("\n"));
    expect(textOf(said)).toBe("after");
    expect(said.at(-1)?.type).toBe("done");
    expect(runtime.stderr).toContain("acp/scripted: skipped a line on stdout that isn't a message");
    await runtime.close();
  });

  it("answers nonsense: one error that says so", async () => {
    const runtime = await openRuntime();
    expect(errorOf(await runtime.say("nonsense"))).toContain("acp/scripted answers session/prompt with something else than ACP has");
    expect(textOf(await runtime.say("say next"))).toBe("next");
    await runtime.close();
  });

  it("goes silent: the idle clock ends the turn, tells the agent to stop, and the next message works", async () => {
    const runtime = await openRuntime({ config: { limits: { agentToolMs: 6_000 } } });
    const said = await runtime.say("pid\nwait");
    expect(errorOf(said)).toContain("Timed out: nothing came from acp/scripted for 6 seconds");
    // It listened to the cancel, so it is still the same one.
    expect(textOf(await runtime.say("pid"))).toBe(textOf(said));
    await runtime.close();
  });

  it("asks, and while the user is awaited the idle clock rests", async () => {
    const runtime = await openRuntime({ config: { limits: { agentToolMs: 5_000 } } });
    const options = [{ optionId: "no", name: "No", kind: "reject_once" }];
    const id = runtime.begin(`ask ${JSON.stringify({ toolCall: { toolCallId: "a", title: "x" }, options })}`);
    const asked = await runtime.next(({ type }) => type === "permission_request");
    // One that goes silent after that is ended by its clock: so much time has passed.
    expect(errorOf(await runtime.say("wait", "other"))).toContain("Timed out: nothing came from acp/scripted");
    const { permissionId } = asked.type === "permission_request" ? asked.data : { permissionId: "" };
    await runtime.ask({ kind: "permission_response", permissionId, decision: "deny" });
    const said = await runtime.endOf(id);
    expect(textOf(said)).toContain('"no"');
    expect(said.at(-1)?.type).toBe("done");
    await runtime.close();
  });

  it("ignores cancel: the turn ends at once, the process after its grace, and the next message resumes in a new one", async () => {
    const runtime = await withFlags(["--ignore-cancel"]);
    const pid = Number(textOf(await runtime.say("pid")));
    const id = runtime.begin("say so far\nwait");
    await runtime.next((response) => response.type === "token" && response.id === id);
    await runtime.ask({ kind: "cancel", target: id });
    expect(errorOf(await runtime.endOf(id))).toContain("Cancelled by request");
    const again = Number(textOf(await runtime.say("pid")));
    expect(again).not.toBe(pid);
    expect(isAlive(pid)).toBe(false);
    await runtime.close();
  });

  it("floods a host that does not read: memory stays within G10, and all of it arrives", async () => {
    const runtime = await openRuntime();
    const pid = Number(textOf(await runtime.say("pid")));
    runtime.child.stdout.pause();
    const id = runtime.begin("flood 15000 1000");
    // Until the agent itself is held back.
    expect(await whenStill(pid)).toBeLessThan(15_000_000);
    runtime.child.stdout.resume();
    expect(textOf(await runtime.endOf(id)).length).toBe(15_000_000);
    expect(peakMegabytes(runtime.child.pid ?? 0)).toBeLessThan(256);
    await runtime.close();
  });

  it("says more than a turn may: one error, and the agent is told to stop", async () => {
    const runtime = await openRuntime();
    expect(errorOf(await runtime.say("flood 40000 1000"))).toContain("the answer is longer than");
    expect(textOf(await runtime.say("say next"))).toBe("next");
    await runtime.close();
  });
});

describe("an agent's process", () => {
  it("is kept between turns, one for each conversation, and ends with the runtime, with what it has started", async () => {
    const runtime = await withFlags(["--ignore-end", "--child"]);
    const pids = [textOf(await runtime.say("pid", "a")), textOf(await runtime.say("pid", "a")), textOf(await runtime.say("pid", "b"))].map(
      Number,
    );
    const started = JSON.parse(textOf(await runtime.say("pids", "a"))) as number[];
    expect(pids[0]).toBe(pids[1]);
    expect(pids[0]).not.toBe(pids[2]);
    await runtime.close();
    await expect.poll(() => [...pids, ...started].filter(isAlive)).toEqual([]);
  });

  it("ends, with what it has started, when the runtime is killed, also one that does not listen to the end of its input", async () => {
    const runtime = await withFlags(["--ignore-end", "--child"]);
    const pids = JSON.parse(textOf(await runtime.say("pids"))) as number[];
    runtime.child.kill("SIGKILL");
    await runtime.ended;
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });

  it("ends with its conversation", async () => {
    const runtime = await openRuntime();
    const pid = Number(textOf(await runtime.say("pid")));
    await runtime.ask({ kind: "delete_conversation", conversationId: "one" });
    await expect.poll(() => isAlive(pid)).toBe(false);
    await runtime.close();
  });

  it("works in the conversation's folder, with the other roots beside it, and without what is ours", async () => {
    const home = makeHome();
    const elsewhere = makeElsewhere(home);
    const runtime = await openRuntime({
      home,
      args: ["--root=.", `--root=${elsewhere}`],
      env: { IGNITION_API_TOKEN: "canary", OPENAI_API_KEY: "theirs" },
    });
    const work = join(runtime.home, "work");
    expect(JSON.parse(textOf(await runtime.say("cwd")))).toEqual([work, work, [elsewhere]]);
    expect(textOf(await runtime.say("env IGNITION_API_TOKEN"))).toBe("undefined");
    expect(textOf(await runtime.say("env OPENAI_API_KEY"))).toBe("theirs");
    await runtime.close();
  });

  it("goes on in another folder when its conversation does, and still knows the conversation", async () => {
    const runtime = await openRuntime();
    const elsewhere = makeElsewhere(runtime.home);
    await runtime.say("remember the tide", "a");
    await runtime.ask({ kind: "set_workspace", conversationId: "a", folders: [elsewhere] });
    expect(JSON.parse(textOf(await runtime.say("cwd", "a")))).toEqual([elsewhere, elsewhere, null]);
    expect(textOf(await runtime.say("recall", "a"))).toContain("remember the tide");
    await runtime.close();
  });
});
