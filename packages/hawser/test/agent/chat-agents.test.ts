// `hawser chat` with an agent that has a loop of its own, on a pseudo-terminal: thought, plan, its own answers to its questions, and
// what can be chosen about it. The agent is played by the test.

import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startPuppet, type Puppet } from "../../../../test/kit/puppet-runtime.ts";
import { answerWordsFor } from "../../src/chat/answer-words.ts";
import { showQuestion } from "../../src/chat/question.ts";
import { makeStage, runOnTerminal, withoutLooks } from "./agent-stage.ts";

const isLinux = process.platform === "linux";
const program = fileURLToPath(new URL("fixtures/chat-with-runtime.ts", import.meta.url));

async function startChat(puppet: Puppet) {
  const running = runOnTerminal([process.execPath, "--conditions=hawser-source", program, ...puppet.runtime], makeStage());
  await running.printed("> ");
  return {
    running,
    printed: running.printed,
    type: (text: string): void => void running.process.stdin.write(text),
    text: () => withoutLooks(running.stdout).replaceAll("\r\n", "\n"),
    async leave() {
      running.process.stdin.write("\u0004");
      expect(await running.ended).toMatchObject({ code: 0 });
    },
  };
}

const hidden = "\u001b[2J\u202e";
const push = { toolId: "call-1", toolName: "shell", input: { command: ["git", "push"] }, title: `git push${hidden}`, kind: "execute" };
const question = {
  ...push,
  permissionId: "p1",
  reason: "acp/codex asks before it runs something",
  locations: [{ path: "src/a.ts", line: 7 }],
  diffs: [{ path: "src/a.ts", oldText: "one\ntwo\nthree\n", newText: `one\nzwei${hidden}\nthree\n` }],
  options: [
    { optionId: "always", name: `Always${hidden}`, kind: "allow_always" as const },
    { optionId: "yes", name: "Yes", kind: "allow_once" as const },
    { optionId: "no", name: "No, and say why", kind: "reject_once" as const },
  ],
};
const plan = (status: "pending" | "completed") => ({
  type: "plan" as const,
  data: {
    entries: [
      { content: `Read${hidden}`, status },
      { content: "Write", status: "pending" as const },
    ],
  },
});

describe.runIf(isLinux)("an agent at the terminal", () => {
  it("thinks dim, shows its plan when it changes, and answers after that", async () => {
    await using puppet = await startPuppet();
    const chat = await startChat(puppet);
    chat.type("go\r");
    const turn = await puppet.nextTurn();
    turn.say({ type: "reasoning", data: { text: `I wonder${hidden}` } }, { type: "reasoning", data: { text: " why." } });
    await chat.printed(" why.");
    turn.say(plan("pending"), plan("pending"), plan("completed"), { type: "token", token: "Because.\n" });
    await chat.printed("Because.");
    turn.end();
    await chat.printed("> ");
    await chat.leave();
    const text = chat.text();
    expect(text).toContain(
      "Thinking: I wonder⟨U+001B⟩[2J⟨U+202E⟩ why.\n● Plan 0 of 2 done\n    ○ Read⟨U+001B⟩[2J⟨U+202E⟩\n    ○ Write\n● Plan 1 of 2 done\n    ✓ Read",
    );
    expect(text).toMatch(/○ Write\n\nBecause\.\n/);
    expect(text.split("● Plan")).toHaveLength(3);
    expect(chat.running.stdout).toContain("\u001b[2mThinking: ");
    expect(chat.running.stdout).not.toContain("\u202e");
  });

  it("G17 its question has its own answers by number; what lasts needs the whole word; yes and no work where they fit", async () => {
    await using puppet = await startPuppet();
    const chat = await startChat(puppet);
    for (const [at, [words, answer]] of [
      [["1", "a"] as string[], { decision: "allow", optionId: "yes", word: "2" }] as const,
      [[], { decision: "allow", optionId: "yes", word: "yes" }] as const,
      [[], { decision: "deny", optionId: "no", word: "n" }] as const,
      [["always 1"], { decision: "allow_always", optionId: "always", word: "Always" }] as const,
    ].entries()) {
      chat.type("go\r");
      const turn = await puppet.nextTurn();
      turn.say({ type: "tool_use", data: push }, { type: "permission_request", data: question });
      await chat.printed("always, 2 or 3?");
      for (const word of words) {
        chat.type(`${word}\r`);
        await chat.printed("Not an answer.");
        await chat.printed("always, 2 or 3?");
      }
      chat.type(`${answer.word}\r`);
      await expect
        .poll(() => puppet.asked("permission_response")[at], { timeout: 30_000 })
        .toMatchObject({
          decision: answer.decision,
          optionId: answer.optionId,
          via: "word",
        });
      turn.say({ type: "tool_result", data: { ...push, result: null, diffs: question.diffs } });
      await chat.printed("src/a.ts  +1 −1");
      turn.end();
      await chat.printed("> ");
    }
    await chat.leave();
    expect(puppet.asked("permission_response")).toHaveLength(4);
    const shown = chat.text();
    expect(shown).toContain("● shell git push⟨U+001B⟩[2J⟨U+202E⟩");
    expect(shown).toContain(
      "? git push⟨U+001B⟩[2J⟨U+202E⟩ (shell, execute)\n    file: src/a.ts:7\n    change in src/a.ts\n         2 − two\n         2 + zwei⟨U+001B⟩[2J⟨U+202E⟩\n",
    );
    expect(shown).toContain(
      "    always  Always⟨U+001B⟩[2J⟨U+202E⟩ (allows it from now on)\n    2       Yes (allows it once)\n    3       No, and say why (rejects it)\n",
    );
  });

  it("a folder is trusted by its own word, after what it brings was shown", async () => {
    await using puppet = await startPuppet();
    const chat = await startChat(puppet);
    chat.type("go\r");
    const turn = await puppet.nextTurn();
    const input = { folder: "/home/ada/x", brings: ["1 MCP server: tides"] };
    turn.say({
      type: "permission_request",
      data: { permissionId: "p", toolId: "t", toolName: "trust_folder", input, reason: "brings settings" },
    });
    await chat.printed("Trust the folder /home/ada/x?");
    await chat.printed("• 1 MCP server: tides");
    await chat.printed("trust or no?");
    chat.type("yes\r");
    await chat.printed("Not an answer.");
    await chat.printed("trust or no?");
    chat.type("trust\r");
    await expect.poll(() => puppet.asked("permission_response"), { timeout: 30_000 }).toMatchObject([{ decision: "allow", via: "word" }]);
    turn.end();
    await chat.printed("> ");
    await chat.leave();
  });

  it("/model lists models and agents, and why one can't be used; /options lists and sets what the chosen one offers", async () => {
    await using puppet = await startPuppet();
    puppet.models = [
      { model: "acp/codex", available: true, current: false },
      { model: "acp/claude", available: false, current: false, reason: "log in with: claude /login" },
      { model: "offline", available: true, current: true },
    ];
    puppet.options = [
      {
        optionId: "mode",
        name: "Mode",
        value: "ask",
        values: [
          { value: "ask", name: "Ask" },
          { value: "plan", name: "Plan only" },
        ],
      },
      { optionId: "web", name: "Web search", value: false },
    ];
    const chat = await startChat(puppet);
    for (const [line, ...expected] of [
      ["/model", "Models", "* offline", "Agents", "acp/codex", "acp/claude  log in with: claude /login"],
      ["/model acp/claude", "can't be used: log in with"],
      ["/model acp/codex", "acp/codex answers from now on"],
      ["/options", "mode  Mode", "* ask  Ask", "plan  Plan only", "web  Web search", "* off"],
      ["/options mode plan only", "* plan  Plan only"],
      ["/options web on", "* on"],
      ["/options mode nonsense", "mode can be: ask, plan"],
      ["/options nonsense x", "there is no option nonsense"],
    ] as const) {
      chat.type(`${line}\r`);
      await chat.printed(line);
      for (const text of expected) await chat.printed(text);
      await chat.printed("> ");
    }
    chat.type("hello\r");
    const turn = await puppet.nextTurn();
    expect(turn.message.metadata).toMatchObject({ model: "acp/codex" });
    turn.end();
    await chat.printed("> ");
    await chat.leave();
    expect(puppet.asked("set_option").map(({ optionId, value, model }) => [optionId, value, model])).toEqual([
      ["mode", "plan", "acp/codex"],
      ["web", true, "acp/codex"],
    ]);
  });
});

describe("the words of a question", () => {
  it("name each of several answers that last, and there is always a no", () => {
    const lasting = (optionId: string) => ({ optionId, name: optionId, kind: "allow_always" as const });
    const { named, meanings } = answerWordsFor({ toolName: "shell", options: [lasting("a"), lasting("b")] });
    expect(named.map(({ word }) => word)).toEqual(["always 1", "always 2", "no"]);
    expect(Object.fromEntries(meanings)).toEqual({
      "always 1": { decision: "allow_always", optionId: "a" },
      "always 2": { decision: "allow_always", optionId: "b" },
      no: { decision: "deny" },
      n: { decision: "deny" },
    });
  });

  it("G17 no number means from now on, whether it is allowed or rejected", () => {
    const options = (["allow_once", "reject_once", "reject_always"] as const).map((kind) => ({ optionId: kind, name: kind, kind }));
    const { named, meanings } = answerWordsFor({ toolName: "shell", options });
    expect(named.map(({ word }) => word)).toEqual(["1", "2", "never"]);
    expect([meanings.get("3"), meanings.get("never"), meanings.get("no")]).toEqual([
      undefined,
      { decision: "deny", optionId: "reject_always" },
      { decision: "deny", optionId: "reject_once" },
    ]);
  });
});

describe("what a question shows", () => {
  const shown = (toolName: string, input: object, reason = "why"): string =>
    showQuestion({ toolName, input, reason }, { paint: (_, text) => text, width: 200 });
  const seen = "⟨U+001B⟩[2J⟨U+202E⟩";

  it("hides nothing: neither in an argument, nor in its name, the tool's or the reason", () => {
    const text = shown(
      `do${hidden}`,
      { [`path${hidden}`]: `a.txt${hidden}`, lines: `one\ntwo${hidden}`, deep: [{ text: hidden }] },
      `why${hidden}`,
    );
    expect(text).toContain(`? do${seen}\n    path${seen}: a.txt${seen}\n    lines:\n      one\n      two${seen}\n    deep:`);
    expect(text).toContain(`why${seen}`);
    expect(text).not.toMatch(/[\u001b\u202e]/);
  });

  it("hides nothing of what a folder brings that is to be trusted", () => {
    const text = shown("trust_folder", { folder: `/work${hidden}`, brings: [`a server${hidden}`] });
    expect(text).toContain(`Trust the folder /work${seen}?`);
    expect(text).toContain(`• a server${seen}\n`);
    expect(text).not.toMatch(/[\u001b\u202e]/);
  });
});
