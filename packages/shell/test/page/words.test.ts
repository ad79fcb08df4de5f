// What the page says about itself: to a screen reader, and when the agent can't be reached.

import { describe, expect, it } from "vitest";
import { whatIsAsked, whatToSay } from "../../src/page/components/announcer.tsx";
import { explainLink } from "../../src/page/components/link-banner.tsx";
import type { LinkState, PageState } from "../../src/page/state/page-state.ts";
import { asked as sent, conversationId, fold, happens, opened, says, wholeTurn } from "./lines.ts";

describe("a screen reader", () => {
  const stateAfter = (count: number) => fold([sent(says("r1")), ...wholeTurn("r1").slice(0, count).map(happens)]);
  const after = (count: number) => whatToSay(stateAfter(count));

  it("hears that an answer has begun, and the answer when it is whole; not each token", () => {
    expect([0, 1, 2, 3].map(after)).toEqual(Array.from({ length: 4 }, () => "The agent is answering."));
    expect(after(9)).toBe("The agent is answering.");
    expect(after(10)).toBe("The agent says: I look.\n\nDone.");
  });

  it("hears what is asked and how it is answered, also when something was said since", () => {
    const asked =
      "The agent asks for permission. Write 1 character to a; the file of that name is replaced. Alt+Y allows it once, Alt+X denies it.";
    const said = (state: PageState) => [whatIsAsked(state), whatToSay(state)];
    expect(said(stateAfter(3))).toEqual(["", "The agent is answering."]);
    expect(said(stateAfter(4))).toEqual([asked, ""]);
    expect(said(fold([sent(says("r2"))], stateAfter(4)))).toEqual([asked, ""]);
    expect(said(stateAfter(9))).toEqual(["", "The agent is answering."]);
  });

  it("hears nothing of what was said before the page was opened", () => {
    const messages = [
      { key: "m", role: "assistant", parts: [{ kind: "text", text: "old" }], at: 1, state: "ended", requestId: "r0" } as const,
    ];
    expect(whatToSay({ ...opened, threads: { [conversationId]: { conversationId, title: "", messages, load: "done" } } })).toBe("");
  });
});

describe("the way to the agent", () => {
  const explain = (link: Partial<LinkState>, wasConnected = true) =>
    explainLink({ phase: "open", runtime: "running", ...link }, wasConnected);

  it("needs no words while it works, nor while the page is only just opening", () => {
    expect([explain({}), explain({ runtime: "starting" }), explain({ phase: "connecting" }, false)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("says what is wrong, and offers to try again only where that can help", () => {
    expect(explain({ phase: "closed" })).toMatchObject({ title: "The shell is not connected", canRetry: true });
    expect(explain({ phase: "connecting" })).toMatchObject({ title: "The shell is not connected", canRetry: false });
    expect(explain({ runtime: "restarting", message: "SIGKILL" })?.text).toContain("(SIGKILL)");
    expect(explain({ runtime: "failed" })).toMatchObject({ title: "The agent can't be started", canRetry: false });
  });
});
