// What stands around a conversation, without a screen: what is being typed, what is news, how a conversation is saved and where it is.

import { describe, expect, it } from "vitest";
import { placeAt } from "../../src/page/components/completion.tsx";
import { fileNameOf, toMarkdown } from "../../src/page/session/export-markdown.ts";
import { newsBetween } from "../../src/page/session/notifications.ts";
import { knownFolders, nameOfFolder, toProjects } from "../../src/page/session/workspaces.ts";
import type { Message } from "../../src/page/state/page-state.ts";
import { asked, conversationId, fold, happens, says, wholeTurn } from "./lines.ts";

describe("what is typed", () => {
  it("can be completed behind a slash at the beginning, and behind an @ after a space", () => {
    expect(placeAt("/ex", 3)).toEqual({ kind: "command", query: "ex", from: 0, to: 3 });
    expect(placeAt("look at @src/be please", 15)).toEqual({ kind: "file", query: "src/be", from: 8, to: 15 });
    for (const text of ["a /ex", "/ex port", "ada@example.org", "@a b", ""]) expect(placeAt(text, text.length)).toBeUndefined();
  });
});

describe("news for a hidden tab", () => {
  it("are the end of a turn that was seen running, and a question; nothing is told twice", () => {
    const running = fold([asked(says("r1"))]);
    const ended = fold(wholeTurn("r1").map(happens), running);
    expect(newsBetween(running, ended)).toMatchObject([{ conversationId }]);
    expect(newsBetween(ended, ended)).toEqual([]);
    // What ended before this page knew of it is old.
    expect(newsBetween(fold([]), ended)).toEqual([]);
  });
});

describe("a saved conversation", () => {
  const message = (role: Message["role"], parts: Message["parts"]): Message => ({ key: "k", role, parts, at: 1, state: "ended" });

  it("holds what was said; names of tools and files can't break out of their place", () => {
    const tool = { kind: "tool", toolId: "t", toolName: "x`\n# not a title", input: null, state: "failed", error: "no\nluck" } as const;
    const text = toMarkdown(
      { title: "A\n# title", messages: [message("user", [{ kind: "text", text: "hello" }]), message("assistant", [tool])] },
      ({ toolName }) => toolName,
    );
    expect(text).toBe("# A # title\n\n## You\n\nhello\n\n## Agent\n\n> Tool `` x` # not a title ``, failed\n> no\n> luck\n");
  });

  it("gets a name that every file system takes", () => {
    expect(fileNameOf("../../etc: passwd?\u0000")).toBe("etc-passwd-u-0000.md");
    expect(fileNameOf("…")).toBe("conversation.md");
    expect(fileNameOf("Häfen und Schiffe")).toBe("häfen-und-schiffe.md");
  });
});

describe("projects", () => {
  const summary = (id: string, folder?: string) => ({
    conversationId: id,
    title: id,
    updatedAt: 1,
    messages: 1,
    ...(folder && { folder }),
  });

  it("are the folders of the conversations, in the order of the list; without one of its own, a conversation is at home", () => {
    const all = [summary("a", "/x/log"), summary("b"), summary("c", "/x/log"), summary("d", "/home")];
    const ids = toProjects(all, "/home").map((project) => [project.folder, project.conversations.map((each) => each.conversationId)]);
    expect(ids).toEqual([
      ["/x/log", ["a", "c"]],
      ["/home", ["b", "d"]],
    ]);
    const link = { phase: "open", runtime: "running", root: "/home" } as const;
    expect(knownFolders({ conversations: all, link })).toEqual(["/x/log", "/home"]);
    expect(["/x/log", "/x/log/", "C:\\work", "/"].map(nameOfFolder)).toEqual(["log", "log", "work", "/"]);
  });
});
