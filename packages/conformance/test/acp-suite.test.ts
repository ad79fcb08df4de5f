// The ACP suite against an agent that keeps the protocol and offers all of it, and against ones that break one rule each. Agents that
// run as programs of their own are in the tests of the command line.

import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { acpSubject, type AcpSubjectOptions } from "../src/acp-subject.ts";
import { runSuite, suites, type ScenarioResult, type Subject, type Suite } from "../src/index.ts";
import { scenariosFor } from "./fault-scenarios.ts";
import { startPlainAcp } from "./fixtures/plain-acp.ts";

// Mostly they wait, for silence or for an answer that does not come.
vi.setConfig({ maxConcurrency: 20 });

const suite = suites["acp"] as Suite;
const allIds = suite.scenarios.map(({ id }) => id);
const contractIds = suite.scenarios.filter(({ additive }) => !additive).map(({ id }) => id);

const run = async (subject: Subject, only: readonly string[], timeoutMs = 100_000): Promise<readonly ScenarioResult[]> =>
  (await runSuite(suite, subject, { only, concurrency: 64, timeoutMs })).scenarios;

const idsOf = (results: readonly ScenarioResult[], outcome: ScenarioResult["outcome"]): string[] =>
  results.filter((result) => result.outcome === outcome).map(({ id }) => id);

/** In this process, since dozens of starts for each of many faults would take minutes. */
function plainAcpSubject(fault?: string, options: Partial<AcpSubjectOptions> = {}): Subject {
  return acpSubject({ command: "plain-acp", ...options }, ({ env }) => {
    const input = new PassThrough();
    const output = new PassThrough();
    const { ended, terminate } = startPlainAcp(input, output, String(env?.["XDG_DATA_HOME"]), fault);
    const exited = ended.then((code) => {
      output.end();
      return { code, signal: null };
    });
    async function close(): Promise<void> {
      input.end();
      terminate();
      await exited;
    }
    return Promise.resolve({ input, output, process: { pid: 0, exited, kill: terminate }, lastWords: () => "", close });
  });
}

describe.concurrent("an ACP agent that keeps the protocol", () => {
  it("passes every scenario", async () => {
    const results = await run(plainAcpSubject(), allIds);
    expect(results.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
  });

  it("and offers nothing more is said not to support the rest, with the reason", async () => {
    const results = await run(plainAcpSubject("bare"), contractIds);
    expect(idsOf(results, "failed")).toEqual([]);
    const unsupported = results.filter(({ outcome }) => outcome === "unsupported");
    expect(Object.fromEntries(unsupported.map(({ id, reason }) => [id, reason]))).toEqual({
      "more-folders": "it does not advertise sessionCapabilities.additionalDirectories",
      load: "it does not advertise loadSession",
      "load-unknown": "it does not advertise loadSession",
      resume: "it does not advertise sessionCapabilities.resume",
      "resume-unknown": "it does not advertise sessionCapabilities.resume",
      list: "it does not advertise sessionCapabilities.list",
      "list-nothing": "it does not advertise sessionCapabilities.list",
      close: "it does not advertise sessionCapabilities.close",
      "close-in-turn": "it does not advertise sessionCapabilities.close",
      delete: "it does not advertise sessionCapabilities.delete",
      "embedded-file": "it does not advertise promptCapabilities.embeddedContext",
      picture: "it does not advertise promptCapabilities.image",
      sound: "it does not advertise promptCapabilities.audio",
      "config-options": "it has no configOptions with a choice",
      "config-unknown": "it has no configOptions with a choice",
      modes: "it has no modes with a choice",
      "mode-unknown": "it has no modes with a choice",
    });
    expect(idsOf(results, "passed").length + unsupported.length).toBe(contractIds.length);
  });
});

const asking = ["close-in-turn", "permission-allow", "permission-reject", "permission-cancel"];
const slow = ["cancel", "cancel-midway", "cancel-twice"];
const withTool = ["working-folder", "tool-announced", "tool-ends"];

describe.concurrent("what can't be tried", () => {
  it("is skipped with the option that would help, not passed: prompts that do nothing", async () => {
    const prompts = { toolPrompt: "Hello", permissionPrompt: "Hello", slowPrompt: "Hello" };
    const results = await run(plainAcpSubject(undefined, { prompts }), contractIds);
    expect(idsOf(results, "failed")).toEqual([]);
    const skipped = results.filter(({ outcome }) => outcome === "skipped");
    // A cancel right behind its prompt may still be in time.
    const sure = [...withTool, ...asking];
    expect(skipped.map(({ id }) => id)).toEqual(expect.arrayContaining(sure));
    expect(skipped.filter(({ id }) => ![...sure, ...slow].includes(id))).toEqual([]);
    expect(skipped.find(({ id }) => id === "permission-allow")?.reason).toBe(
      "what --permission-prompt says made it ask for no permission; give a prompt that does",
    );
  });

  it("is skipped with the option that would help, not passed: prompts that are empty", async () => {
    const prompts = { prompt: "", toolPrompt: "", permissionPrompt: "", slowPrompt: "" };
    const results = await run(plainAcpSubject(undefined, { prompts }), [...withTool, ...asking, ...slow, "turn"]);
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["skipped"]));
    expect(results.find(({ id }) => id === "tool-ends")?.reason).toBe("--tool-prompt is empty");
  });

  it("is skipped where the agent wants a login first, and that it opens no session is a failure", async () => {
    const results = await run(plainAcpSubject("needs-login"), contractIds);
    expect(idsOf(results, "failed")).toEqual(["new"]);
    expect(results.find(({ id }) => id === "turn")?.reason).toMatch(/^session\/new asks for authentication/);
  });

  it("the session's folder, if nothing that is said names its file", async () => {
    expect(idsOf(await run(plainAcpSubject("own-folder"), contractIds), "skipped")).toEqual(["working-folder"]);
  });
});

interface Fault {
  readonly name: string;
  readonly fails: readonly string[];
  /** It depends on the moment whether these see it. */
  readonly mayFail?: readonly string[];
}

const idsWith = (text: RegExp): string[] =>
  contractIds.filter((id) => text.test(JSON.stringify(suite.scenarios.find((one) => one.id === id)?.steps)));
const opening = idsWith(/opened|"one"/).filter((id) => id !== "unknown-method");
const greeting = idsWith(/"\$same":"prompt"/);
const prompting = idsWith(/"session\/prompt"/).filter((id) => !["wrong-params", "unknown-session"].includes(id));
const cancelling = ["permission-cancel", ...slow, "cancel-idle", "cancel-unknown"];

const faults: readonly Fault[] = [
  { name: "prints", fails: contractIds },
  { name: "no-jsonrpc", fails: contractIds },
  { name: "version-2", fails: ["initialize", "bare-client", "unknown-capabilities"] },
  { name: "echoes-version", fails: ["newer-client"] },
  { name: "terminal-auth", fails: ["bare-client"] },
  { name: "boolean-option", fails: ["bare-client"] },
  { name: "strict-members", fails: ["unknown-capabilities"] },
  { name: "text-ids", fails: ["initialize", "ids"] },
  { name: "silent", fails: ["ids", "unknown-method", "unknown-notification", "pieces", "several-at-once", "large-message", "separators"] },
  { name: "wrong-code", fails: ["unknown-method"] },
  { name: "answers-notices", fails: ["unknown-notification", ...cancelling] },
  { name: "splits-separators", fails: ["separators"] },
  { name: "no-checks", fails: ["wrong-params", "config-unknown", "mode-unknown"] },
  { name: "one-id", fails: ["new"] },
  { name: "ignores-mcp", fails: ["mcp-server"] },
  { name: "any-session", fails: ["unknown-session", "load-unknown", "resume-unknown"] },
  { name: "loads-nothing", fails: ["load"] },
  { name: "loads-late", fails: ["load"] },
  { name: "resume-replays", fails: ["resume"] },
  { name: "lists-all", fails: ["list"] },
  { name: "null-list", fails: ["list-nothing", "delete"] },
  { name: "close-leaves", fails: ["close-in-turn"] },
  { name: "delete-keeps", fails: ["delete"] },
  { name: "no-folders", fails: ["more-folders"] },
  { name: "config-forgets", fails: ["config-options"] },
  { name: "config-any", fails: ["config-unknown"] },
  { name: "config-odd", fails: opening },
  { name: "mode-any", fails: ["mode-unknown"] },
  { name: "mode-odd", fails: opening },
  { name: "wrong-shape", fails: greeting },
  { name: "unknown-update", fails: greeting },
  { name: "uses-files", fails: withTool },
  { name: "relative-path", fails: [...withTool, "client-files"] },
  { name: "answers-twice", fails: prompting },
  {
    name: "late-update",
    fails: ["turn", "many-turns", "busy", "tool-ends", "permission-allow", "permission-reject", ...slow],
    mayFail: prompting,
  },
  { name: "no-stop-reason", fails: prompting.filter((id) => !["close-in-turn", "cancel", "cancel-twice"].includes(id)) },
  { name: "mixes-sessions", fails: ["parallel"] },
  { name: "refuses-links", fails: ["resource-link"] },
  { name: "refuses-pictures", fails: ["picture"] },
  { name: "tool-unannounced", fails: ["tool-announced"] },
  { name: "tool-open", fails: ["tool-ends"] },
  { name: "no-options", fails: [...asking, ...slow] },
  { name: "two-options", fails: [...asking, ...slow] },
  { name: "writes-first", fails: ["permission-reject", "permission-cancel"] },
  { name: "ignores-reject", fails: ["permission-reject"] },
  { name: "cancel-error", fails: ["close-in-turn", "permission-cancel", ...slow] },
  { name: "cancel-ends", fails: ["close-in-turn", "permission-cancel"] },
  { name: "cancel-late", fails: slow, mayFail: ["close-in-turn", "permission-cancel"] },
  { name: "cancel-closes", fails: ["permission-cancel", "cancel-midway"] },
  { name: "cancel-sticks", fails: ["cancel-idle"], mayFail: cancelling },
];

describe.concurrent("ACP agents that break it", () => {
  it.each(faults.map((fault, at) => ({ ...fault, at })))(
    "an agent with the fault $name fails exactly the scenarios that it breaks",
    async ({ name, fails, mayFail = [], at }) => {
      // Only what is broken may be waited for in vain; the rest has time enough for a busy machine.
      const whole = scenariosFor(contractIds, [], at, 8).filter((id) => !fails.includes(id) && !mayFail.includes(id));
      expect(idsOf(await run(plainAcpSubject(name), whole), "failed")).toEqual([]);
      expect(idsOf(await run(plainAcpSubject(name), fails, 3_000), "failed").toSorted()).toEqual(fails.toSorted());
    },
  );

  it("says what is wrong with a message, and where in it", async () => {
    const [result] = await run(plainAcpSubject("wrong-shape"), ["turn"]);
    expect(result?.failure?.got).toBe(
      "session/update of the wrong shape: at update.content.type: expected one of text, image, audio, resource_link, resource, got no such member",
    );
  });

  it("a rule is broken by at least one of them, or by none that could be told", () => {
    const broken = new Set(faults.flatMap(({ fails }) => fails));
    expect(contractIds.filter((id) => !broken.has(id))).toEqual([]);
  });
});
