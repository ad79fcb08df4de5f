// The state that lines make: what is on the screen after each of them.

import { shellLimits } from "../../src/limits.ts";
import { describe, expect, it } from "vitest";
import { textOf } from "../../src/page/session/actions.ts";
import { fromHistory } from "../../src/page/state/message-parts.ts";
import type { Message } from "../../src/page/state/page-state.ts";
import { reduce } from "../../src/page/state/reduce.ts";
import { asked, conversationId, fold, happens, opened, ready, says, shown, turnOf, wholeTurn } from "./lines.ts";

const text = (token: string) => ({ type: "token", token }) as const;

describe("a message that waits", () => {
  it("is shown in its new words, unless its turn has begun", () => {
    const both = [asked(says("r1")), happens({ type: "token", id: "r1", token: "x", seq: 1, timestamp: 1 }), asked(says("r2"))];
    const edit = (target: string) => asked({ id: "e", kind: "edit_queued", target, message: "in other words" });
    const texts = shown(fold([...both, edit("r1"), edit("r2")])).filter(({ role }) => role === "user");
    expect(texts.map(({ parts }) => JSON.stringify(parts).includes("in other words"))).toEqual([false, true]);
  });
});

describe("the list of conversations", () => {
  it("keeps one that was begun while the runtime made it, as long as that one's turn runs", () => {
    const other = { conversationId: "other", title: "other", updatedAt: 1, messages: 2 };
    const listed = { type: "learned", facts: { conversations: [other] } } as const;
    const ids = (events: Parameters<typeof fold>[0]): string[] => fold(events).conversations.map((each) => each.conversationId);
    expect(ids([asked(says("r1")), listed])).toEqual([conversationId, "other"]);
    expect(ids([asked(says("r1")), ...wholeTurn("r1").map(happens), listed])).toEqual(["other"]);
  });
});

describe("a turn", () => {
  it("shows the user's message and a place for the answer as soon as it is sent", () => {
    const state = fold([asked(says("r1", "list\nthem"), 7)]);
    expect(shown(state)).toEqual([
      { key: "user:r1", role: "user", parts: [{ kind: "text", text: "list\nthem" }], at: 7, state: "ended", requestId: "r1" },
      { key: "assistant:r1", role: "assistant", parts: [], at: 7, state: "running", requestId: "r1" },
    ]);
    expect(state.conversations).toEqual([{ conversationId, title: "list", updatedAt: 7, messages: 1 }]);
  });

  it("keeps text and tools in the order in which they came, with the tool's times, question and result", () => {
    const state = fold([asked(says("r1")), ...wholeTurn("r1").map(happens)]);
    expect(shown(state)[1]).toEqual({
      key: "assistant:r1",
      role: "assistant",
      at: 0,
      state: "ended",
      requestId: "r1",
      messageId: "m2",
      model: "offline",
      failure: undefined,
      parts: [
        { kind: "text", text: "I look." },
        {
          kind: "tool",
          toolId: "t1",
          toolName: "write_file",
          input: { path: "a", content: "b" },
          state: "done",
          durationMs: 7,
          permission: {
            permissionId: "p1",
            reason: "changes files",
            replaces: true,
            input: { path: "a", content: "b" },
            decision: "expired",
          },
          progress: { done: 1, total: 2 },
          result: { bytes: 1 },
          error: undefined,
        },
        { kind: "text", text: "Done." },
      ],
    });
    expect(shown(state)[0]?.messageId).toBe("m1");
    expect(state.turns["r1"]).toMatchObject({ state: "ended", usage: { inputTokens: 3, outputTokens: 4 } });
  });

  it("R121 shows no gap besides the card of a tool, live and from the history, and has one where the text is copied", () => {
    const use = { toolId: "t1", toolName: "x" };
    const lines = turnOf("r1", [
      text("First."),
      { type: "tool_use", data: { ...use, input: {} } },
      { type: "tool_result", data: { ...use, result: 1 } },
      text("\n\n"),
      text("Then."),
    ]);
    const live = shown(fold([asked(says("r1")), ...lines.map(happens)]))[1];
    const kept = fromHistory({
      messageId: "m",
      role: "assistant",
      timestamp: 1,
      parts: [
        { type: "text", text: "First." },
        { type: "tool_use", ...use, input: {} },
        { type: "tool_result", ...use, result: 1 },
        { type: "text", text: "\nThen." },
      ],
    });
    for (const message of [live, kept]) {
      expect(message?.parts.map((part) => (part.kind === "text" ? part.text : part.kind))).toEqual(["First.", "tool", "Then."]);
      expect(textOf(message as Message)).toBe("First.\n\nThen.");
    }
  });

  it("that fails says why, ends its tools, and asks for the history", () => {
    const [use] = turnOf("r1", [{ type: "tool_use", data: { toolId: "t1", toolName: "x", input: {} } }]);
    const state = fold([
      asked(says("r1")),
      happens(use!),
      happens({ type: "error", id: "r1", error: "no luck", code: "tool_failed", seq: 2, timestamp: 5 }),
    ]);
    expect(shown(state)[1]).toMatchObject({
      state: "ended",
      failure: { text: "no luck", code: "tool_failed" },
      parts: [{ state: "failed" }],
    });
    expect(state.threads[conversationId]?.load).toBe("needed");
  });

  it("that is being cancelled shows so, whichever tab asked for it", () => {
    const state = fold([asked(says("r1")), asked({ id: "x", kind: "cancel", target: "r1" })]);
    expect(state.turns["r1"]?.isStopping).toBe(true);
  });

  it("of a conversation that is not held is only known to run, and to have ended", () => {
    const other = { ...says("r9"), metadata: { conversationId: "elsewhere" } };
    const running = fold([asked(other)]);
    expect(running.turns["r9"]).toMatchObject({ state: "running", conversationId: "elsewhere" });
    expect(fold(wholeTurn("r9").map(happens), running).turns["r9"]?.state).toBe("ended");
  });
});

describe("a question", () => {
  const inQuestion = () => fold([asked(says("r1")), ...wholeTurn("r1").slice(0, 4).map(happens)]);
  const permission = (state: ReturnType<typeof inQuestion>) => shown(state)[1]?.parts[1];

  it("is no longer asked once it was answered in any tab", () => {
    expect(permission(inQuestion())).toMatchObject({ permission: { permissionId: "p1" } });
    const answered = reduce(inQuestion(), asked({ id: "x", kind: "permission_response", permissionId: "p1", decision: "allow_always" }));
    expect(permission(answered)).toMatchObject({ permission: { decision: "allow_always" } });
  });

  it("that has expired says so", () => {
    expect(permission(reduce(inQuestion(), { type: "permission_expired", permissionId: "p1" }))).toMatchObject({
      permission: { decision: "expired" },
    });
  });
});

describe("a runtime", () => {
  const running = () => fold([asked(says("r1")), ...turnOf("r1", [text("half")]).map(happens)]);

  it("that greets again after a lost connection is the same one: its turns go on", () => {
    const state = fold([{ type: "link", link: { phase: "closed", runtime: "running" } }, ready(1)], running());
    expect(state.turns["r1"]?.state).toBe("running");
    expect(state.threads[conversationId]?.load).toBe("needed");
  });

  it("that is another one has lost the turns of the one before, and what they said stays", () => {
    const state = fold([ready(2)], running());
    expect(shown(state)[1]).toMatchObject({
      state: "ended",
      parts: [{ text: "half" }],
      failure: { text: expect.stringContaining("started again") },
    });
  });

  it.each(["restarting", "failed"] as const)("that is %s ends its turns at once", (runtime) => {
    const state = fold([{ type: "link", link: { phase: "open", runtime } }], running());
    expect(state.turns["r1"]?.state).toBe("ended");
  });

  it("that is silent for too long is given up, and a late end changes nothing", () => {
    const given = fold([{ type: "turn_failed", id: "r1", failure: { text: "silent" } }], running());
    expect(shown(given)[1]?.failure).toEqual({ text: "silent" });
    const late = fold([happens({ type: "done", id: "r1", seq: 2, timestamp: 9 })], given);
    expect(shown(late)).toEqual(shown(given));
  });
});

describe("conversations", () => {
  const answered = () => fold([asked(says("r1")), ...wholeTurn("r1").map(happens)]);

  it("are renamed and deleted", () => {
    const renamed = fold([{ type: "renamed", conversationId, title: "Boats" }], answered());
    expect([renamed.conversations[0]?.title, renamed.threads[conversationId]?.title]).toEqual(["Boats", "Boats"]);
    const gone = fold([{ type: "deleted", conversationId }], renamed);
    expect([gone.conversations, shown(gone)]).toEqual([[], []]);
  });

  it("are cut after a message for edit and resend, and wholly for null", () => {
    const cut = (after: string | null) =>
      shown(fold([{ type: "truncated", conversationId, after }], answered())).map(({ messageId }) => messageId);
    expect([cut("m2"), cut("m1"), cut(null)]).toEqual([["m1", "m2"], ["m1"], []]);
  });

  it("that are loaded keep what the history can't know", () => {
    const messages = [{ messageId: "m1", role: "user" as const, parts: [{ type: "text" as const, text: "ab" }], timestamp: 1 }];
    const state = fold([asked(says("r2", "on its way")), { type: "loaded", conversation: { conversationId, title: "T", messages } }]);
    expect(shown(state).map(({ parts }) => parts)).toEqual([[{ kind: "text", text: "ab" }], [{ kind: "text", text: "on its way" }], []]);
    expect(state.threads[conversationId]).toMatchObject({ title: "T", load: "done" });
  });

  it("that can't be loaded are not asked for again and again", () => {
    const opens = { type: "opened", conversationId: "old", isNew: false } as const;
    expect(fold([opens]).threads["old"]?.load).toBe("needed");
    // A runtime that keeps no history has nothing to load.
    expect(fold([opens, { type: "load_failed", conversationId: "old" }]).threads["old"]?.load).toBe("done");
    const failed = fold([opens, { type: "load_failed", conversationId: "old", reason: "the disk is gone" }]);
    expect(failed.threads["old"]).toMatchObject({ load: "failed", loadError: "the disk is gone" });
    expect(fold([{ type: "load_wanted", conversationId: "old" }], failed).threads["old"]?.load).toBe("needed");
  });

  it("are held in a bounded number, the oldest forgotten first", () => {
    const ids = Array.from({ length: 3 * shellLimits.shellThreadEntries }, (_, at) => `c-${at}`);
    const state = fold(ids.map((id) => ({ type: "opened", conversationId: id, isNew: true }) as const));
    expect(Object.keys(state.threads)).toEqual(ids.slice(-shellLimits.shellThreadEntries - 1));
  });
});

it("shows the latest notices only, each until it is dismissed", () => {
  const notices = Array.from({ length: 9 }, (_, at) => ({ type: "notice", notice: { key: `n${at}`, text: "x" } }) as const);
  const state = fold(notices, opened);
  expect(state.notices.map(({ key }) => key)).toEqual(["n5", "n6", "n7", "n8"].slice(-shellLimits.shellNoticeEntries));
  expect(fold([{ type: "notice_dismissed", key: "n6" }], state).notices.map(({ key }) => key)).toEqual(["n5", "n7", "n8"]);
});
