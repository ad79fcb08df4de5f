// The offline model in whole turns, with tools that look at a real folder: what it says, which tools it
// uses, and that it is honest about what it is.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { prepareInput, type Tool } from "@hawser/tools/internal";
import { formatRequests } from "../../src/offline/request-table.ts";
import { createBuiltinTools } from "../../src/tools/builtin-tools.ts";
import { createRoots } from "../../src/tools/files/roots.ts";
import { createFolder, startTalk, type ToolFunction } from "./turn.ts";

const files = { "README.md": "# Harbour\nsalt and pepper\n", "notes.txt": "hello world\n", "README.png": "" };

describe("offline: files", () => {
  it("`list the files here` says a few words, uses list_files, and repeats the names", async () => {
    await using folder = await createFolder(files);
    const turn = await startTalk(folder.tools).say("list the files here");
    expect(turn.calls).toEqual([{ toolName: "list_files", input: { path: "." } }]);
    expect(turn.steps).toBe(2);
    expect(turn.text).toBe("Listing the files here.\n\n3 entries here:\n- README.md\n- README.png\n- notes.txt");
    const types = turn.events.map(({ type }) => type);
    expect(types.indexOf("tool_call")).toBeGreaterThan(0);
    expect(types.indexOf("tool_call")).toBeLessThan(types.length - 1);
  });

  it("`list the files in <dir>` passes the folder on, and tells plainly what the tool says about it", async () => {
    await using folder = await createFolder(files);
    const turn = await startTalk(folder.tools).say("list the files in nowhere");
    expect(turn.calls).toEqual([{ toolName: "list_files", input: { path: "nowhere" } }]);
    expect(turn.text).toMatch(/That did not work\. `list_files`: ENOENT/);
  });

  it("`read the file <name>` repeats the content", async () => {
    await using folder = await createFolder(files);
    const turn = await startTalk(folder.tools).say("read the file notes.txt");
    expect(turn.calls).toEqual([{ toolName: "read_file", input: { path: "notes.txt" } }]);
    expect(turn.text).toContain("notes.txt says:\n\n```\nhello world\n```");
  });

  it.each(["read README", "Read the readme!", "could you show me the README, please?"])(
    "%s finds the file that is meant by listing",
    async (text) => {
      await using folder = await createFolder(files);
      const turn = await startTalk(folder.tools).say(text);
      expect(turn.calls.map(({ toolName }) => toolName)).toEqual(["list_files", "read_file"]);
      expect(turn.calls[1]?.input).toEqual({ path: "README.md" });
      expect(turn.text).toContain("# Harbour\nsalt and pepper");
    },
  );

  it("`list the files here and read the README` does both in one turn, and lists once", async () => {
    await using folder = await createFolder(files);
    const turn = await startTalk(folder.tools).say("list the files here and read the README");
    expect(turn.calls).toEqual([
      { toolName: "list_files", input: { path: "." } },
      { toolName: "read_file", input: { path: "README.md" } },
    ]);
    expect(turn.text).toMatch(/- notes\.txt[\s\S]*README\.md says:[\s\S]*salt and pepper/);
  });

  it("a name that is a folder is listed instead of read", async () => {
    const turn = await startTalk({
      list_files: ({ path }) => ({ files: path === "." ? [{ name: "src", type: "directory" }] : ["a.ts"] }),
    }).say("what is in src?");
    expect(turn.calls.map(({ input }) => input)).toEqual([{ path: "." }, { path: "src" }]);
    expect(turn.text).toContain("- a.ts");
  });

  it("`search for <text>` repeats the matches", async () => {
    await using folder = await createFolder(files);
    const talk = startTalk(folder.tools);
    expect((await talk.say("search for hello")).text).toContain("1 match for “hello”:\n- notes.txt:1: hello world");
    expect((await talk.say("search for nowhere")).text).toContain("Nothing contains “nowhere”.");
  });

  it('`write "<text>" to <file>` and `replace "<a>" with "<b>" in <file>` change the file', async () => {
    await using folder = await createFolder(files);
    const talk = startTalk(folder.tools);
    expect((await talk.say('write "good morning" to new.txt')).text).toContain("new.txt now says:\n\n```\ngood morning\n```");
    expect((await talk.say('replace "morning" with "night" in new.txt')).text).toContain("new.txt now says “night” instead of “morning”.");
    expect(await readFile(join(folder.path, "new.txt"), "utf8")).toBe("good night");
  });

  it("a denied tool is told plainly, and the next request is still done", async () => {
    const turn = await startTalk({
      write_file() {
        throw new TypeError("denied: the user said no");
      },
    }).say('write "x" to a.txt and what is 1 + 1?');
    expect(turn.text).toBe("Writing 1 character to a.txt.\n\nThat did not work. `write_file`: denied: the user said no\n\n1 + 1 = 2");
  });

  it("a tool that is not offered is not called", async () => {
    const turn = await startTalk({}).say("list the files here");
    expect(turn.calls).toEqual([]);
    expect(turn.text).toContain("needs the tool `list_files`, which I am not offered here");
  });
});

describe("offline: other tools", () => {
  it("`run <command>` gives an argument vector, and repeats exit code and output", async () => {
    const turn = await startTalk({ run_command: () => ({ exitCode: 3, stdout: "out", stderr: "err" }) }).say('run echo "a b" c');
    expect(turn.calls).toEqual([{ toolName: "run_command", input: { command: "echo", args: ["a b", "c"] } }]);
    expect(turn.text).toContain("`echo` ended with exit code 3 and printed:\n\n```\nout\nerr\n```");
  });

  it("`call <operation>` uses the tool of that name with typed arguments", async () => {
    const exact = await startTalk({ getPet: (input) => input }).say('use getPet with {"id": 9007199254740993}');
    expect([exact.calls, exact.text]).toEqual([[], expect.stringContaining("/id: 9007199254740993 would become 9007199254740992")]);
    const turn = await startTalk({ getPet: (input) => input }).say("call getpet with id=7 name=Rex flag=true");
    expect(turn.calls).toEqual([{ toolName: "getPet", input: { id: 7, name: "Rex", flag: true } }]);
    expect(turn.text).toContain('"name": "Rex"');
  });

  it("`call <operation>` uses the gateway's tools for a large API, and searches when there is no such operation", async () => {
    const tools = {
      search_operations: () => ({ operations: [{ operationId: "getPetById" }] }),
      call_operation({ operationId }: Record<string, unknown>) {
        if (operationId !== "getPetById") throw new TypeError("no such operation");
        return { name: "Rex" };
      },
    };
    const found = await startTalk(tools).say("call getPetById with petId=7");
    expect(found.calls).toEqual([{ toolName: "call_operation", input: { operationId: "getPetById", arguments: { petId: 7 } } }]);
    expect(found.text).toContain("Rex");
    const missed = await startTalk(tools).say("call getPet");
    expect(missed.calls[1]).toEqual({ toolName: "search_operations", input: { query: "getPet" } });
    expect(missed.text).toContain("getPetById");
  });

  it("`use <tool> with {json}` uses any tool; broken JSON and unknown names are told", async () => {
    const talk = startTalk({ git__log: (input) => input });
    expect((await talk.say('use git__log with {"count": 2, "text": "a; b"}')).calls).toEqual([
      { toolName: "git__log", input: { count: 2, text: "a; b" } },
    ]);
    expect((await talk.say("use git__log with {count}")).text).toContain("the arguments are not valid JSON");
    expect((await talk.say("use nothing with a=1")).text).toContain("There is no tool “nothing”. I am offered: `git__log`.");
  });

  it("`list the tools` names those that are offered, each with the first sentence of its description", async () => {
    const talk = startTalk({ git__log: () => null, read_file: () => null });
    expect((await talk.say("list the tools")).text).toContain("- `git__log`: Tool git__log.\n- `read_file`: Tool read_file.");
    expect((await startTalk().say("which tools do you have?")).text).toBe("I am offered no tools here.");
  });

  it("tools that vanish in the middle of a turn end it with words, not with a loop", async () => {
    const talk = startTalk({
      read_file() {
        delete talk.tools["read_file"];
        return "text";
      },
      list_files: () => ({ files: [] }),
    });
    const turn = await talk.say("read a.txt and list the files here");
    expect(turn.steps).toBeLessThan(4);
    expect(turn.text).toContain("Please ask me again.");
  });
});

describe("offline: talk", () => {
  it("`what is 12 * 34?` is 408, and `what time is it` is what the clock says", async () => {
    const talk = startTalk();
    expect((await talk.say("what is 12 * 34?")).text).toBe("12 * 34 = 408");
    expect((await talk.say("what time is it")).text).toMatch(/^It is 05:06:07 UTC on Wednesday, 2026-03-04/);
  });

  it("remembers the conversation: a name, what was said, the last answer, the last request", async () => {
    const talk = startTalk();
    expect((await talk.say("What is my name?")).text).toContain("You have not told me your name");
    await talk.say("My name is Ada Lovelace.");
    await talk.say("what is 2 + 3");
    expect((await talk.say("what's my name")).text).toBe("Your name is Ada Lovelace.");
    expect((await talk.say("repeat that")).text).toBe("I said:\n\nYour name is Ada Lovelace.");
    expect((await talk.say("what did I say before?")).text).toContain("- “My name is Ada Lovelace.”");
    await talk.say("what is 6 * 7");
    expect((await talk.say("again")).text).toBe("6 * 7 = 42");
    expect((await talk.say("again!")).text).toBe("6 * 7 = 42");
  });

  it("`again` at the beginning of a conversation says that there is nothing to do again", async () => {
    expect((await startTalk().say("again")).text).toBe("You have not asked for anything yet that I could do again.");
  });

  it("anything else is answered honestly: what it is, what it has read, examples, and how to get a real model", async () => {
    const { text } = await startTalk().say("Write me a poem about the sea");
    expect(text).toContain("I read “Write me a poem about the sea”, which I do not understand.");
    expect(text).toContain("I am not a language model");
    expect(text.match(/^- `/gm)).toHaveLength(5);
    expect(text).toContain("ANTHROPIC_API_KEY");
  });

  it("`help` and the page docs/agent/offline.md say the same, from one table", async () => {
    const page = await readFile(join(import.meta.dirname, "../../../../docs/agent/offline.md"), "utf8");
    expect(page).toContain(formatRequests());
    expect((await startTalk().say("help")).text).toContain(formatRequests());
  });

  it("an attached text is repeated, and a picture is described as far as it can be", async () => {
    const turn = await startTalk().say("What is in this file?", [
      { path: "/a/b.txt", mime: "text/plain", content: "attached words" },
      { path: "/a/c.png", mime: "image/png", content: new Uint8Array(5) },
    ]);
    expect(turn.text).toBe("/a/b.txt says:\n\n```\nattached words\n```\n\n/a/c.png has 5 bytes. I can't see pictures; a real model may.");
  });
});

describe("offline: the tools that every runtime has", () => {
  it("their results are repeated: names, content, matches, what a command printed", async () => {
    await using folder = await createFolder(files);
    const roots = await createRoots([folder.path]);
    const tools = createBuiltinTools({ roots, allowedCommands: ["echo"] });
    const run = (tool: Tool): ToolFunction => {
      const context = { signal: new AbortController().signal, progress() {}, log() {}, client: undefined };
      return async (input) => tool.run((await prepareInput(tool.name, tool.input).check(tool.name, input)) as never, context);
    };
    const talk = startTalk(Object.fromEntries(tools.map((tool) => [tool.name, run(tool)])));
    expect((await talk.say("list the files here and read the README")).text).toMatch(/- notes\.txt[\s\S]*salt and pepper/);
    expect((await talk.say('write "ahoy there" to new.txt')).text).toContain("new.txt now says:\n\n```\nahoy there\n```");
    expect((await talk.say('replace "there" with "all" in new.txt')).text).toContain("new.txt now says “all” instead of “there”.");
    expect((await talk.say("search for ahoy")).text).toContain("- new.txt:1: ahoy all");
    expect((await talk.say('run echo "hello world"')).text).toContain(
      "`echo` ended with exit code 0 and printed:\n\n```\nhello world\n```",
    );
    expect((await talk.say("read the file ../outside.txt")).text).toMatch(/That did not work\. `read_file`: /);
  });
});
