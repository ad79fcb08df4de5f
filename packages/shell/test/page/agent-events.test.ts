// What agents say besides text and tools: thought, plan, context, words of their own for tools and questions; and what becomes of it
// when the history is loaded.

import { describe, expect, it } from "vitest";
import { textOf } from "../../src/page/session/actions.ts";
import { currentOptions, openQuestion, type Part } from "../../src/page/state/page-state.ts";
import { answerByKeys, answersTo, firstFocus } from "../../src/page/tools/answers.ts";
import { describeQuestion } from "../../src/page/tools/describe-call.ts";
import { diffLines, foldDiff } from "../../src/page/tools/line-diff.ts";
import { asked, conversationId, fold, happens, openScreen, opened, says, shown, turnOf } from "./lines.ts";

const think = (text: string) => ({ type: "reasoning", data: { text } }) as const;
const word = (token: string) => ({ type: "token", token }) as const;
const plan = (status: "pending" | "completed") => ({ type: "plan" as const, data: { entries: [{ content: "Look", status }] } });
const use = { toolId: "t1", toolName: "shell" };

const partsAfter = (bodies: Parameters<typeof turnOf>[1]): readonly Part[] =>
  shown(fold([asked(says("r1")), ...turnOf("r1", bodies).map(happens)]))[1]?.parts ?? [];

describe("thought and plan", () => {
  it("pieces of a thought are one, with its times; what follows ends it, and the next one is another", () => {
    expect(partsAfter([think("a"), think("b"), word("\nx"), think("c")])).toEqual([
      { kind: "thought", text: "ab", startedAt: 1_000, endedAt: 1_001 },
      { kind: "text", text: "x" },
      { kind: "thought", text: "c", startedAt: 1_003, endedAt: 1_003 },
    ]);
  });

  it("there is one plan, where it first stood, as it was said last", () => {
    expect(partsAfter([plan("pending"), word("x"), plan("completed")])).toEqual([
      { kind: "plan", entries: [{ content: "Look", status: "completed" }] },
      { kind: "text", text: "x" },
    ]);
  });

  it("are no part of the text, which stays one where they were between", () => {
    const state = fold([asked(says("r1")), ...turnOf("r1", [word("one "), think("?"), word("word"), plan("pending")]).map(happens)]);
    expect(textOf(shown(state)[1] ?? expect.fail("no answer"))).toBe("one word");
  });

  it("stay where they were when the history, which does not hold them, is loaded", () => {
    const events = turnOf("r1", [
      think("a"),
      { type: "tool_use", data: { ...use, input: {} } },
      { type: "tool_result", data: { ...use, result: 1 } },
      plan("pending"),
      word("Done."),
      { type: "done", data: { conversationId, userMessageId: "m1", assistantMessageId: "m2" } },
    ]);
    const messages = [
      { messageId: "m1", role: "user" as const, parts: [{ type: "text" as const, text: "hello" }], timestamp: 1, requestId: "r1" },
      {
        messageId: "m2",
        role: "assistant" as const,
        parts: [
          { type: "tool_use" as const, ...use, input: {}, title: "git push", kind: "execute" },
          { type: "tool_result" as const, ...use, result: 1, diffs: [{ path: "a", newText: "b" }] },
          { type: "text" as const, text: "Done." },
        ],
        timestamp: 2,
        requestId: "r1",
      },
    ];
    const state = fold([
      asked(says("r1")),
      ...events.map(happens),
      { type: "loaded", conversation: { conversationId, title: "", messages } },
    ]);
    expect(shown(state)[1]?.parts.map(({ kind }) => kind)).toEqual(["thought", "tool", "plan", "text"]);
    expect(shown(state)[1]?.parts[1]).toMatchObject({ title: "git push", toolKind: "execute", diffs: [{ path: "a", newText: "b" }] });
  });
});

describe("a use and a question", () => {
  const about = { title: "git push", kind: "execute", locations: [{ path: "a.ts", line: 3 }] };
  const options = [
    { optionId: "a", name: "Always", kind: "allow_always" as const },
    { optionId: "y", name: "Yes", kind: "allow_once" as const },
    { optionId: "n", name: "No", kind: "reject_once" as const },
  ];
  const events = turnOf("r1", [
    { type: "tool_use", data: { ...use, input: {}, ...about } },
    { type: "permission_request", data: { ...use, ...about, input: {}, permissionId: "p1", reason: "asks", options } },
  ]);
  const state = fold([asked(says("r1")), ...events.map(happens)]);

  it("keep what the agent says about them, and a result adds its changes", () => {
    const kept = { title: "git push", toolKind: "execute", locations: [{ path: "a.ts", line: 3 }] };
    expect(openQuestion(state)).toMatchObject({ ...kept, permission: { ...kept, options } });
    const result = turnOf("r1", [
      word(""),
      word(""),
      { type: "tool_result", data: { ...use, result: 1, diffs: [{ path: "a.ts", newText: "x" }] } },
    ]);
    expect(shown(fold(result.slice(2).map(happens), state))[1]?.parts[0]).toMatchObject({
      ...kept,
      diffs: [{ path: "a.ts", newText: "x" }],
    });
  });

  it("the chosen answer is kept, also when another tab gave it", () => {
    const answered = fold([asked({ id: "r2", kind: "permission_response", permissionId: "p1", decision: "allow", optionId: "y" })], state);
    expect(shown(answered)[1]?.parts[0]).toMatchObject({ permission: { decision: "allow", optionId: "y" } });
    expect(openQuestion(answered)).toBeUndefined();
  });

  it("G17 the answers are the agent's, in its order; what lasts has neither a shortcut nor the first focus; there is always a no", () => {
    const answers = answersTo("shell", { options });
    expect(answers.map(({ label, decision, keys }) => [label, decision, keys.join("+")])).toEqual([
      ["Always", "allow_always", ""],
      ["Yes", "allow", "Alt+Y"],
      ["No", "deny", "Alt+X"],
    ]);
    expect(firstFocus(answers)).toBe(1);
    const onlyAlways = answersTo("shell", { options: options.slice(0, 1) });
    expect(onlyAlways.map(({ label }) => label)).toEqual(["Always", "Deny"]);
    expect([firstFocus(onlyAlways), answerByKeys(onlyAlways, "allow"), answerByKeys(onlyAlways, "deny")?.label]).toEqual([
      1,
      undefined,
      "Deny",
    ]);
    const trust = answersTo("trust_folder", {});
    expect([firstFocus(trust), answerByKeys(trust, "allow"), answerByKeys(trust, "deny")?.label]).toEqual([1, undefined, "Don't trust"]);
  });

  it("is told in the agent's words, revealed; a folder in ours, whatever title comes with it", () => {
    expect(describeQuestion("shell", { input: {}, title: "push\u202e" })).toBe("push⟨U+202E⟩");
    expect(describeQuestion("shell", { input: {}, title: "push", toolKind: "execute" })).toBe("Runs a program: push");
    expect(describeQuestion("shell", { input: {}, title: "push", toolKind: "constructor" })).toBe("constructor: push");
    expect(describeQuestion("shell", { input: {}, title: " " })).toBe("Use shell with exactly this input");
    expect(describeQuestion("trust_folder", { input: { folder: "/a b" }, title: "Nothing" })).toBe('Trust the folder "/a b"?');
  });
});

describe("the options of an agent", () => {
  const entries = [{ optionId: "mode", name: "Mode", value: "ask" }];

  it("count for the conversation and the agent that they were asked for", () => {
    const state = { ...opened, pickedModel: "acp/codex", agentOptions: { conversationId, model: "acp/codex", entries } };
    expect(currentOptions(state)).toBe(entries);
    expect(currentOptions({ ...state, pickedModel: "offline" })).toBeUndefined();
    expect(currentOptions({ ...state, currentId: "c2" })).toBeUndefined();
  });

  it("are asked for when an agent is chosen, again after its turn and after another tab has set one; a failure is told once", async () => {
    const { session, requests, say, overhear, greet, settled } = openScreen();
    greet();
    session.open();
    await settled();
    const questions = () => requests.filter(({ kind }) => kind === "list_options");
    const answerLast = async (error?: string): Promise<void> => {
      const id = questions().at(-1)?.id;
      if (error !== undefined) say({ type: "error", id, error });
      else {
        say({ type: "options", id, data: { conversationId: session.store.getState().currentId, options: entries } });
        say({ type: "done", id });
      }
      await settled();
    };
    expect(questions()).toEqual([]);
    session.store.dispatch({ type: "learned", facts: { pickedModel: "acp/codex" } });
    await settled();
    expect(questions()).toMatchObject([{ model: "acp/codex", conversationId: session.store.getState().currentId }]);
    await answerLast();
    expect(currentOptions(session.store.getState())).toEqual(entries);
    for (const count of [2, 3]) {
      const id = `other-${count}`;
      overhear({ id, kind: "set_option", conversationId: session.store.getState().currentId, optionId: "mode", value: "plan" });
      say({ type: "done", id });
      await settled();
      expect(questions()).toHaveLength(count);
      await answerLast("codex is not logged in");
    }
    expect(session.store.getState().notices.map(({ text }) => text)).toEqual([
      "What can be chosen about acp/codex is not known: codex is not logged in",
    ]);
    await session.close();
  });
});

describe("a summary", () => {
  const counts = { messages: 4, tokensBefore: 900, tokensAfter: 300 };
  const compaction = { type: "compaction", data: { conversationId, ...counts } } as const;
  const usage = { type: "usage", data: { model: "m", contextTokens: 900, contextWindow: 1_000 } } as const;
  const events = turnOf("r1", [word("a"), compaction, word("b"), { type: "done", data: { conversationId, assistantMessageId: "m2" } }]);
  const after = fold([asked(says("r1")), ...events.map(happens)]);

  it("that comes while a turn runs stands where it came, is not part of the answer, and the history is asked what it says", () => {
    expect(shown(after)[1]?.parts).toEqual([
      { kind: "text", text: "a" },
      { kind: "summary", ...counts },
      { kind: "text", text: "b" },
    ]);
    expect(textOf(shown(after)[1] ?? expect.fail("no answer"))).toBe("ab");
    expect(after.threads[conversationId]?.load).toBe("needed");
    const parts = [
      { type: "text" as const, text: "ab" },
      { type: "summary" as const, text: "What was said.", ...counts, timestamp: 3 },
    ];
    const message = { messageId: "m2", role: "assistant" as const, parts, timestamp: 2, requestId: "r1" };
    const loaded = fold([{ type: "loaded", conversation: { conversationId, title: "t", messages: [message] } }], after);
    expect(shown(loaded)[0]?.parts).toEqual([
      { kind: "text", text: "ab" },
      { kind: "summary", text: "What was said.", ...counts },
    ]);
  });

  it("at the user's word makes room in the meter at once", () => {
    const full = fold([asked(says("r1")), ...turnOf("r1", [usage, { type: "done", data: { conversationId } }]).map(happens)]);
    const room = fold([{ type: "compacted", compaction: { conversationId, ...counts } }], full);
    expect(room.turns["r1"]?.usage).toMatchObject({ contextTokens: 300, contextWindow: 1_000 });
    expect(room.threads[conversationId]?.load).toBe("needed");
  });
});

describe("several answers to a question", () => {
  const question = { permissionId: "p1", ...use, input: {}, reason: "why" };
  const open = fold([asked(says("r1")), ...turnOf("r1", [{ type: "permission_request", data: question }]).map(happens)]);
  const answer = (decision: "allow" | "deny") => ({ id: "a", kind: "permission_response", permissionId: "p1", decision }) as const;
  const decided = (state: typeof open) =>
    shown(state)[1]?.parts.map((part) => part.kind === "tool" && [part.permission?.decision, part.permission?.isFromElsewhere]);

  it("are told apart: one from elsewhere that counts is not hidden by one from here that came too late", () => {
    const mine = fold([asked(answer("deny"))], open);
    expect(decided(mine)).toEqual([["deny", undefined]]);
    const other = fold([{ type: "answered_elsewhere", answer: answer("allow") }], mine);
    const late = fold([{ type: "permission_expired", permissionId: "p1" }], other);
    expect(decided(late)).toEqual([["allow", true]]);
    expect(decided(fold([{ type: "permission_expired", permissionId: "p1" }], mine))).toEqual([["expired", undefined]]);
  });
});

describe("a folded difference", () => {
  it("has every line once, with its numbers, and folds only what stays and is far from a change", () => {
    const lines = Array.from({ length: 30 }, (_, at) => `l${at + 1}`);
    const after = lines.with(9, "new").join("\n");
    const rows = foldDiff(diffLines(lines.join("\n"), after));
    expect(rows.map((row) => (row.kind === "folded" ? row.lines.length : `${row.kind} ${row.old}/${row.new}`))).toEqual([
      6,
      "same 7/7",
      "same 8/8",
      "same 9/9",
      "removed 10/9",
      "added 10/10",
      "same 11/11",
      "same 12/12",
      "same 13/13",
      17,
    ]);
    expect(foldDiff(diffLines("a\nb\n", "a\nb\n"))).toHaveLength(2);
    // Behind the last line feed of a new file there is no line; one that is only added at the end is a change.
    expect(foldDiff(diffLines("", "a\nb\n"))).toHaveLength(2);
    expect(foldDiff(diffLines("a", "a\n"))).toHaveLength(2);
    expect(
      rows
        .flatMap((row) => (row.kind === "folded" ? row.lines : [row]))
        .filter(({ kind }) => kind !== "removed")
        .map(({ text }) => text),
    ).toEqual(after.split("\n"));
  });
});
