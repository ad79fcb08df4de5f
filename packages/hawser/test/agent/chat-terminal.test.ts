// `hawser chat` on a pseudo-terminal, as a person uses it: the stream, the cards, the questions, Ctrl-C.

import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeStage, startOnTerminal, toolsModule, withoutLooks, writeFile, type RunningProgram, type Stage } from "./agent-stage.ts";

const isLinux = process.platform === "linux";
const ctrlC = "\u0003";
const ctrlD = "\u0004";

async function startChat(stage: Stage, args: readonly string[] = []): Promise<RunningProgram & { type(text: string): void }> {
  const running = startOnTerminal(stage, ["chat", ...args]);
  await running.printed("Ctrl-D leaves.");
  await running.printed("> ");
  return Object.assign(Object.create(running) as RunningProgram, { type: (text: string) => void running.process.stdin.write(text) });
}

const decisionsOf = ({ home }: Stage): string[] =>
  readFileSync(join(home, "data/hawser/audit.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { decision: string; via: string })
    .map(({ decision, via }) => `${decision} by ${via}`);

// Each test is a whole program on a terminal; script(1) is that of util-linux.
describe.runIf(isLinux).concurrent("a conversation", () => {
  it("shows the answer as it comes, with cards for tools, and leaves with Ctrl-D", async () => {
    const chat = await startChat(makeStage({ "README.md": "Ships **come** and go.\n" }));
    chat.type("read the file README.md\r");
    await chat.printed("● read_file path: README.md");
    await chat.printed("✓ read_file");
    await chat.printed("Ships **come** and go.");
    await chat.printed("> ");
    chat.type(ctrlD);
    expect(await chat.ended).toMatchObject({ code: 0 });
  });

  it("/model refuses a name that --model would refuse, with what may have been meant, and the same model goes on", async () => {
    const chat = await startChat(makeStage());
    for (const [name, problem] of [
      ["oflline", "Did you mean offline?"],
      ["acp/nope", "acp/nope can't be used"],
      ["anthropic", "ANTHROPIC_API_KEY"],
      ["openai/gpt-5", "OPENAI_API_KEY is not set"],
    ] as const) {
      chat.type(`/model ${name}\r`);
      await chat.printed("✗");
      await chat.printed(problem);
      await chat.printed("> ");
    }
    chat.type("what is 12 * 34?\r");
    await chat.printed("12 * 34 = 408");
    await chat.printed("> ");
    chat.type(ctrlD);
    await chat.ended;
    expect(chat.stdout).not.toContain("from now on");
  });

  it("asks before something is changed and shows what exactly; yes does it, no does not, and the audit log says how", async () => {
    const stage = makeStage();
    const chat = await startChat(stage);
    chat.type('write "hello" to notes.txt\r');
    await chat.printed("? write_file");
    await chat.printed("path: notes.txt");
    await chat.printed("content: hello");
    await chat.printed("always?");
    expect(existsSync(join(stage.folder, "notes.txt"))).toBe(false);
    chat.type("yes\r");
    await chat.printed("✓ write_file");
    await chat.printed("> ");
    chat.type('write "other" to notes.txt\r');
    await chat.printed("always?");
    chat.type("no\r");
    await chat.printed("✗ write_file");
    await chat.printed("> ");
    chat.type("/quit\r");
    expect(await chat.ended).toMatchObject({ code: 0 });
    expect(readFileSync(join(stage.folder, "notes.txt"), "utf8").trim()).toBe("hello");
    expect(decisionsOf(stage)).toEqual(["allow by word", "deny by word"]);
  });

  it("G17 always is remembered for the conversation: the same is not asked again; nothing shorter means it", async () => {
    const stage = makeStage();
    const chat = await startChat(stage, ["--tools", toolsModule]);
    chat.type("call launch with ship=Ada\r");
    await chat.printed("always?");
    for (const words of ["a", "al", "why do you want that, always?", "", "/quit"]) {
      chat.type(`${words}\r`);
      await chat.printed("Not an answer.");
      await chat.printed("stop the turn with Ctrl-C");
      await chat.printed("always?");
    }
    chat.type("always\r");
    await chat.printed("launched Ada");
    await chat.printed("> ");
    chat.type("call launch with ship=Ada\r");
    await chat.printed("launched Ada");
    await chat.printed("> ");
    expect(withoutLooks(chat.stdout).split("? launch")).toHaveLength(2);
    chat.type(ctrlD);
    await chat.ended;
    expect(decisionsOf(stage)).toEqual(["allow_always by word", "allow by remembered"]);
  });

  it("SEC-04: what was typed before a question was shown is no answer to it", async () => {
    const stage = makeStage();
    const chat = await startChat(stage, ["--tools", toolsModule]);
    chat.type("call nap and call launch with ship=Ada\r");
    await chat.printed("● nap");
    chat.type("yes\rI said");
    // The terminal shows what has reached it. From then on the tool before the question may end.
    await chat.printed("I said");
    writeFile(join(stage.folder, "rested"), "");
    await chat.printed("always?");
    // The end of the line that was begun before.
    chat.type("yes\r");
    await chat.printed("Not an answer.");
    await chat.printed("always?");
    chat.type("no\r");
    await chat.printed("✗ launch");
    await chat.printed("> ");
    expect(withoutLooks(chat.stdout)).not.toContain("launched");
    chat.type(`${ctrlC}${ctrlC}`);
    expect(await chat.ended).toMatchObject({ code: 130 });
  });

  it("Ctrl-C stops the turn, the next one works, and two in a row leave", async () => {
    const chat = await startChat(makeStage(), ["--tools", toolsModule]);
    chat.type("call slow\r");
    await chat.printed("● slow");
    chat.type(ctrlC);
    await chat.printed("Stopped.");
    await chat.printed("> ");
    chat.type("what is 6 * 7?\r");
    await chat.printed("42");
    await chat.printed("> ");
    chat.type(ctrlC);
    await chat.printed("Ctrl-C again");
    await chat.printed("> ");
    chat.type(ctrlC);
    expect(await chat.ended).toMatchObject({ code: 130 });
  });

  it("a silent second is followed by a line that says what is waited for", async () => {
    const chat = await startChat(makeStage(), ["--tools", toolsModule]);
    chat.type("call slow\r");
    // How many there are when it is shown, the machine decides.
    await chat.printed(/slow \(\d+ s, Ctrl-C stops it\)/);
    chat.type(ctrlC);
    await chat.printed("Stopped.");
    await chat.printed("> ");
    chat.type(ctrlD);
    expect(await chat.ended).toMatchObject({ code: 0 });
  });

  it("a model that has not said anything after a second is named, and that it may be loading", async () => {
    await using server = createServer(() => {}).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const stage = makeStage();
    const withServer = { ...stage, env: { ...stage.env, OLLAMA_HOST: `http://127.0.0.1:${port}` } };
    const chat = await startChat(withServer, ["--model", "ollama/slow"]);
    chat.type("hello\r");
    await chat.printed(/waiting for ollama\/slow, maybe still loading \(\d+ s, Ctrl-C stops it\)/);
    chat.type(ctrlC);
    await chat.printed("Stopped.");
    await chat.printed("> ");
    chat.type(ctrlD);
    expect(await chat.ended).toMatchObject({ code: 0 });
    server.closeAllConnections();
  });

  it("escape sequences of tools and models are shown, not obeyed", async () => {
    const chat = await startChat(makeStage(), ["--tools", toolsModule]);
    chat.type("call takeover\r");
    await chat.printed("✓ takeover");
    await chat.printed("end");
    await chat.printed("> ");
    chat.type(ctrlD);
    const { stdout } = await chat.ended;
    for (const sequence of ["\u001b]0;", "\u001b[2J", "\u001b[31mred", "\u009b", "\u202e", "\u0007", "\b\b"])
      expect(stdout).not.toContain(sequence);
    expect(stdout).toContain("⟨U+001B⟩]0;owned⟨U+0007⟩⟨U+001B⟩[2J⟨U+001B⟩[31mred");
  });

  it("knows /help, /list, /models, /model, /clear, and says what it does not know", async () => {
    const chat = await startChat(makeStage());
    for (const [line, answer] of [
      ["/help", "/clear"],
      ["/models", "* offline"],
      ["/model offline", "answers from now on"],
      ["/model usual", "The usual model answers."],
      ["my name is Ada", "Ada"],
      ["/list", "* chat-2"],
      ["/clear", "Forgotten."],
      ["/nonsense", "There is no /nonsense"],
    ] as const) {
      chat.type(`${line}\r`);
      await chat.printed(line);
      await chat.printed(answer);
      await chat.printed("> ");
    }
    chat.type(ctrlD);
    expect(await chat.ended).toMatchObject({ code: 0 });
  });

  it("--continue shows where the conversation was, and goes on", async () => {
    const stage = makeStage();
    const first = await startChat(stage, ["--conversation", "harbour"]);
    first.type("my name is Ada\r");
    await first.printed("Ada");
    await first.printed("> ");
    first.type(ctrlD);
    await first.ended;
    const second = startOnTerminal(stage, ["chat", "--continue"]);
    await second.printed('Continues "my name is Ada", 2 messages.');
    await second.printed("> my name is Ada");
    await second.printed("> ");
    second.process.stdin.write("what is my name?\r");
    await second.printed("Ada");
    await second.printed("> ");
    second.process.stdin.write(ctrlD);
    expect((await second.ended).code).toBe(0);
  });

  it("NO_COLOR: the text is there, without any looks", async () => {
    const running = startOnTerminal(makeStage(), ["chat", "what is 6 * 7?"], { NO_COLOR: "1" });
    const { code, stdout } = await running.ended;
    expect([code, stdout.includes("\u001b[3"), stdout.includes("\u001b[1m")]).toEqual([0, false, false]);
    expect(stdout).toContain("42");
  });

  it("one answer on a terminal asks too", async () => {
    const stage = makeStage();
    const running = startOnTerminal(stage, ["chat", 'write "hello" to notes.txt']);
    await running.printed("always?");
    running.process.stdin.write("yes\r");
    expect((await running.ended).code).toBe(0);
    expect(existsSync(join(stage.folder, "notes.txt"))).toBe(true);
  });

  it("SEC-04: what was typed before the question of one answer was shown is no answer to it either", async () => {
    const stage = makeStage();
    const running = startOnTerminal(stage, ["chat", "--tools", toolsModule, "call nap and call launch with ship=Ada"]);
    await running.printed("● nap");
    running.process.stdin.write("yes\rI said");
    // The terminal shows what has reached it, which nobody has read.
    await running.printed("I said");
    writeFile(join(stage.folder, "rested"), "");
    await running.printed("always?");
    // The end of the line that was begun before.
    running.process.stdin.write("yes\r");
    await running.printed("Not an answer.");
    await running.printed("always?");
    running.process.stdin.write("no\r");
    const { code, stdout } = await running.ended;
    expect(withoutLooks(stdout)).not.toContain("launched");
    expect(code).toBe(8);
  });
});
