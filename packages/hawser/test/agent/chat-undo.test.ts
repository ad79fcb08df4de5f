// `/changes`, `/undo` and `/redo` on a pseudo-terminal, with commands and file tools.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeStage, startOnTerminal, toEvents, runIn, withoutLooks } from "./agent-stage.ts";

const isLinux = process.platform === "linux";

it.runIf(isLinux)("shows changes with their diffs, takes back the last turn or one file, and does it again", async () => {
  const permissions = [
    { tool: "edit_file", decision: "allow" },
    { tool: "run_command", decision: "allow" },
  ];
  const stage = makeStage({ "notes.txt": "salt\npepper\n", "other.txt": "x\n" }, { permissions, allowedCommands: ["sh"] });
  const read = (name: string): string => readFileSync(join(stage.folder, name), "utf8");
  const chat = startOnTerminal(stage, ["chat", "--sandbox", "off"]);
  const type = (line: string): void => void chat.process.stdin.write(`${line}\r`);
  await chat.printed("> ");
  type('replace "pepper" with "paprika" in notes.txt');
  await chat.printed("✓ edit_file");
  await chat.printed("> ");
  type(`run sh -c "printf 'a\\033[31mb' > made.txt; printf y > other.txt"`);
  await chat.printed("✓ run_command");
  await chat.printed("> ");
  type("/changes");
  await chat.printed("modified notes.txt  +1 −1");
  await chat.printed("-pepper");
  await chat.printed("+paprika");
  // What a file holds gives no orders to the terminal.
  await chat.printed("+a⟨U+001B⟩[31mb");
  await chat.printed("modified other.txt");
  await chat.printed("> ");
  type("/undo other.txt");
  await chat.printed("✓ other.txt  As before");
  expect([read("other.txt"), existsSync(join(stage.folder, "made.txt"))]).toEqual(["x\n", true]);
  writeFileSync(join(stage.folder, "made.txt"), "mine");
  type("/undo");
  await chat.printed("✗ made.txt  left as it is: it was changed again since");
  type("/undo notes.txt");
  await chat.printed("✓ notes.txt  As before");
  expect(read("notes.txt")).toBe("salt\npepper\n");
  type("/redo");
  await chat.printed("✓ notes.txt  Done again");
  expect([read("notes.txt"), read("made.txt")]).toEqual(["salt\npaprika\n", "mine"]);
  // The undo before that one: a redo is not what is done again.
  type("/redo");
  await chat.printed("✓ other.txt  Done again");
  type("/redo");
  await chat.printed("There is no undo that could be taken back.");
  expect([read("notes.txt"), read("other.txt")]).toEqual(["salt\npaprika\n", "y"]);
  type("/undo notes.txt");
  await chat.printed("✓ notes.txt  As before");
  type("/redo");
  await chat.printed("✓ notes.txt  Done again");
  type(`run sh -c "printf x > new.txt; rm other.txt"`);
  await chat.printed("✓ run_command");
  await chat.printed("> ");
  type("/undo");
  await chat.printed("✓ new.txt  Removed");
  await chat.printed("✓ other.txt  There again");
  expect([existsSync(join(stage.folder, "new.txt")), read("other.txt")]).toEqual([false, "y"]);
  type("/changes nothing.txt");
  await chat.printed("No change of nothing.txt is in force here.");
  type("/quit");
  expect(await chat.ended).toMatchObject({ code: 0 });
  expect(withoutLooks(chat.stdout)).not.toContain("\u001b[31mb");
});

it("keeps nothing with --no-undo, and says so", async () => {
  const stage = makeStage({}, { permissions: [{ tool: "write_file", decision: "allow" }] });
  const lines = [
    { id: "t", kind: "user_message", message: 'write "x" to a.txt', metadata: { conversationId: "c" } },
    { id: "l", kind: "list_changes", conversationId: "c" },
  ];
  const { stdout } = await runIn(stage, ["agent", "--no-undo"], { input: `${lines.map((line) => JSON.stringify(line)).join("\n")}\n` });
  const events = toEvents(stdout);
  expect(events[0]?.["capabilities"]).not.toContain("changes");
  expect(events.find(({ id }) => id === "l")).toMatchObject({ type: "error", code: "usage", error: expect.stringContaining("--no-undo") });
  expect(existsSync(join(stage.home, "data/hawser/undo"))).toBe(false);
});
