// `hawser chat` on a pseudo-terminal: what a person types while the agent works.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeStage, startOnTerminal, toolsModule, withoutLooks, writeFile, type RunningProgram, type Stage } from "./agent-stage.ts";

const escape = "\u001b";
const ctrlC = "\u0003";
const ctrlD = "\u0004";
const backspace = "\u007f";

/** A chat whose turn waits until the file `rested` is there. */
async function startNap(stage: Stage, message = "call nap"): Promise<RunningProgram & { type(text: string): void; wake(): void }> {
  const running = startOnTerminal(stage, ["chat", "--conversation", "harbour", "--tools", toolsModule]);
  const type = (text: string): void => void running.process.stdin.write(text);
  await running.printed("Ctrl-D leaves.");
  await running.printed("> ");
  type(`${message}\r`);
  await running.printed("● nap");
  const wake = (): void => writeFile(join(stage.folder, "rested"), "");
  return Object.assign(Object.create(running) as RunningProgram, { type, wake });
}

const journalOf = ({ home }: Stage): string =>
  readFileSync(join(home, "data/hawser/conversations", "c-harbour.4779fabaa124d3392ec0943d0b4df227.jsonl"), "utf8");

describe.runIf(process.platform === "linux").concurrent("while the agent works", () => {
  it("a line with Esc reaches the model at its next step, and the history shows where", async () => {
    const stage = makeStage();
    const chat = await startNap(stage);
    chat.type("what is 6 * 7?");
    await chat.printed("+ what is 6 * 7?");
    chat.type(escape);
    await chat.printed("it sees this at its next step");
    chat.wake();
    await chat.printed("↪ the model sees now: what is 6 * 7?");
    await chat.printed("42");
    await chat.printed("> ");
    chat.type(ctrlD);
    expect(await chat.ended).toMatchObject({ code: 0 });
  });

  it("a line with Enter waits for its turn; /queue shows it, changes it and takes it back", async () => {
    const chat = await startNap(makeStage());
    for (const line of ["what is 3 * 3?", "what is 4 * 4?"]) {
      chat.type(`${line}\r`);
      await chat.printed("waits for its turn");
    }
    chat.type("/queue\r");
    await chat.printed("1  what is 3 * 3? (for its turn)");
    await chat.printed("2  what is 4 * 4?");
    chat.type("/queue drop 1\r");
    await chat.printed("1  what is 4 * 4?");
    chat.type("/queue edit 1 what is 5 * 5?\r");
    await chat.printed("1  what is 5 * 5?");
    chat.wake();
    await chat.printed("> ");
    await chat.printed("25");
    await chat.printed("> ");
    chat.type(ctrlD);
    const { code, stdout } = await chat.ended;
    expect(code).toBe(0);
    expect(withoutLooks(stdout)).not.toMatch(/= 9|= 16/);
  });

  it("what the turn did not see is the next message, before what waits; a line that is not sent stays for the prompt", async () => {
    const chat = await startNap(makeStage(), "call nap");
    chat.type("what is 3 * 3?\r");
    await chat.printed("waits for its turn");
    chat.type("what is 6 * 7?");
    await chat.printed("+ what is 6 * 7?");
    chat.type(escape);
    await chat.printed("it sees this at its next step");
    chat.type("not yet");
    await chat.printed("not yet");
    // The turn ends before its model's next step.
    chat.type(`${backspace.repeat(7)}${ctrlC}`);
    await chat.printed("Stopped.");
    await chat.printed("> what is 6 * 7?");
    await chat.printed("42");
    await chat.printed("> what is 3 * 3?");
    await chat.printed("9");
    await chat.printed("> ");
    chat.type(ctrlD);
    expect(await chat.ended).toMatchObject({ code: 0 });
  });

  it("SEC-04: the rest of a line that was begun is no answer to a question", async () => {
    const stage = makeStage();
    const chat = await startNap(stage, 'call nap and write "hello" to notes.txt');
    chat.type("I say ");
    await chat.printed("+ I say ");
    chat.wake();
    await chat.printed("always?");
    chat.type("yes\r");
    await chat.printed("Not an answer.");
    await chat.printed("always?");
    chat.type("no\r");
    await chat.printed("✗ write_file");
    await chat.printed("I say ");
    chat.type(`${ctrlC}${ctrlC}`);
    expect(await chat.ended).toMatchObject({ code: 130 });
    expect(existsSync(join(stage.folder, "notes.txt"))).toBe(false);
  });

  it("/fork goes on in a new conversation, and the first stays as it is", async () => {
    const stage = makeStage();
    const chat = startOnTerminal(stage, ["chat", "--conversation", "harbour"]);
    const type = (text: string): void => void chat.process.stdin.write(text);
    await chat.printed("Ctrl-D leaves.");
    await chat.printed("> ");
    type("my name is Ada\r");
    // Not what the terminal repeats of the line: then the turn has not ended.
    await chat.printed("Nice to meet you, Ada.");
    await chat.printed("> ");
    const before = journalOf(stage);
    type("/fork\r");
    await chat.printed("This goes on as fork-");
    await chat.printed("> ");
    type("what is my name?\r");
    await chat.printed("Your name is Ada");
    await chat.printed("> ");
    type("/list\r");
    await chat.printed(/\* fork-\S+ .* 4 messages {2}my name is Ada\s+\(fork\)/);
    type(ctrlD);
    expect((await chat.ended).code).toBe(0);
    expect(journalOf(stage)).toBe(before);
  });
});
