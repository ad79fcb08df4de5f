// The transcript of docs/agent/long-work.md, played on a pseudo-terminal: a small context, undo, redo and a fork in one conversation.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { literally, makeStage, startOnTerminal } from "./agent-stage.ts";

const page = new URL("../../../../docs/agent/long-work.md", import.meta.url);

/** The lines of the page's transcript. */
function transcript(): string[] {
  const [, block = ""] = /^```text\n(.*?)^```$/ms.exec(readFileSync(page, "utf8")) ?? [];
  return block.trimEnd().split("\n");
}

/** `…` stands for anything in a line, and for any lines. */
const toPattern = (line: string): RegExp => new RegExp(`^${line.split("…").map(literally).join(".*")}`, "m");

const prompt = /(?:^|\n)> $/;
const question = "yes (once), no or always? ";

it.runIf(process.platform === "linux")("is what the chat prints, line by line", async () => {
  const [command = "", ...lines] = transcript();
  const args = command.replace("$ npx hawser ", "").split(" ");
  const stage = makeStage({ "notes.txt": "salt\npepper\n" });
  const chat = startOnTerminal(stage, args);
  const type = (line: string): void => void chat.process.stdin.write(`${line}\r`);
  let played = 0;
  for (const line of lines) {
    if (line === "…") continue;
    played++;
    if (line.startsWith("> ")) {
      await chat.printed(prompt);
      type(line.slice(2));
    } else if (line.includes(question)) {
      await chat.printed(question);
      type(line.slice(line.indexOf(question) + question.length));
    } else await chat.printed(toPattern(line));
  }
  expect(played).toBeGreaterThan(20);
  expect(await chat.ended).toMatchObject({ code: 0 });
  expect(readFileSync(join(stage.folder, "notes.txt"), "utf8")).toBe("salt\npaprika\n");
});
