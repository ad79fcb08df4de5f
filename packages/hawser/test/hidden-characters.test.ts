// What others wrote, on a terminal and in a pipe: a terminal shows every character that hides or gives orders, in a pipe
// each byte stays as it came.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startScriptedOpenAI } from "../../../test/kit/models/scripted-openai.ts";
import { answer, startApiStub, type ApiStub } from "../../../test/kit/api-stub.ts";
import { makeStage, runOnTerminal, withoutLooks } from "./agent/agent-stage.ts";
import { hawser, makePlace, runIn, type Place } from "./gateway-stage.ts";
import { start } from "./run-hawser.ts";

const clipboard = "\u001b]52;c;cm0gLXJm\u0007";
const evil = `${clipboard}\u001b[2J\u009b31m\u202etxt.\u2066exe\u200b\u2060\ufeffend`;
const shown = "⟨U+001B⟩]52;c;cm0gLXJm⟨U+0007⟩⟨U+001B⟩[2J⟨U+009B⟩31m⟨U+202E⟩txt.⟨U+2066⟩exe⟨U+200B⟩⟨U+2060⟩⟨U+FEFF⟩end";
// A terminal gets a return before each line feed from its driver.
const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;

const document = {
  openapi: "3.1.0",
  info: { title: evil, version: "1" },
  paths: { "/tags": { get: { operationId: "listTags", summary: evil, tags: [evil], description: evil, parameters: [] } } },
};

let stub: ApiStub;
beforeAll(async () => {
  stub = await startApiStub((request, response) => answer(response, request.target === "/fail" ? 500 : 200, `${evil}\nsecond\tline`));
});
afterAll(() => stub.close());

function placeWithDocument(): { place: Place; spec: string[] } {
  const place = makePlace(stub);
  const file = join(place.folder, "document.json");
  writeFileSync(file, JSON.stringify(document));
  return { place, spec: ["--spec-file", file] };
}

async function runOnTty(place: Place, args: readonly string[]): Promise<string> {
  const { stdout } = await runOnTerminal([process.execPath, hawser, ...args], makeStage(), place.env).ended;
  return stdout.replaceAll("\r\n", "\n");
}

// script(1) is that of util-linux.
describe.runIf(process.platform === "linux").concurrent("on a terminal nothing is hidden, and no order is obeyed", () => {
  it("in the body of a call, also as it comes, in its headers and in its failure", async () => {
    const place = makePlace(stub);
    expect(await runOnTty(place, ["call", "--path", "/"])).toBe(`${shown}\nsecond\tline\n`);
    expect(await runOnTty(place, ["call", "--path", "/", "--stream"])).toBe(`${shown}\nsecond\tline\n`);
    const failed = await runOnTty(place, ["call", "--path", "/fail"]);
    expect(failed).toContain(shown);
    expect(failed).not.toMatch(hidden);
  });

  it.each([
    ["call --json", ["call", "--json", "--path", "/"]],
    ["api list", ["api", "list"]],
    ["api show", ["api", "show", "listTags"]],
    ["api show --json", ["api", "show", "listTags", "--json"]],
    ["api tags", ["api", "tags"]],
    ["an argument in an error", ["api", "search", evil]],
  ])("in what %s prints", async (_, args) => {
    const { place, spec } = placeWithDocument();
    const text = await runOnTty(place, [...args, ...spec]);
    expect(text).toContain("⟨U+202E⟩txt.");
    expect(text).not.toMatch(hidden);
  });

  it("in a chat: the model's text in any pieces, what it calls tools with, and the words of its failure", async () => {
    const calls = [{ id: "c", name: "read_file", input: { path: `${evil}.md` } }];
    const failure = { status: 400, body: { error: { message: evil } } };
    const server = await startScriptedOpenAI([
      { text: ["I look.\n"], calls },
      { text: [...evil.split(""), " 👩", "\u200d", "💻\n"] },
      failure,
    ]);
    const env = { OPENAI_API_KEY: "sk-test-0123456789", OPENAI_BASE_URL: server.url };
    const args = ["chat", "--model", "openai/gpt-5.5", "--no-history", "hello"];
    const answered = withoutLooks(await runOnTty({ folder: "", env }, args));
    const failed = withoutLooks(await runOnTty({ folder: "", env }, args));
    await server.close();
    expect(answered).toContain(`${shown} 👩\u200d💻\n`);
    expect(answered).toMatch(/● read_file path: ⟨U\+001B⟩\]52/);
    expect(failed).toContain("⟨U+202E⟩txt.");
    expect(answered.replaceAll("\u200d", "") + failed).not.toMatch(hidden);
  });

  it("in the log line of a protocol and in its messages", async () => {
    const line = JSON.stringify({ id: "1", kind: "echo", value: evil });
    const text = await runOnTty({ folder: "", env: { HAWSER_DEBUG: "protocol" } }, [
      "conform",
      "echo",
      "--only",
      "shapes",
      "--json",
      "--",
      "sh",
      "-c",
      `echo '${line}'; echo '${line}' >&2`,
    ]);
    expect(text).toContain("⟨U+202E⟩txt.");
    expect(text).not.toMatch(hidden);
  });
});

describe.concurrent("in a pipe each byte stays", () => {
  it("of a body, bytes that are not text included, and of what a document says", async () => {
    const bytes = Buffer.from([0, 27, 0x9b, 0xff, 0xfe, 13, 10, 0xe2, 0x80, 0xae]);
    const raw = await startApiStub((_request, response) =>
      answer(response, 200, bytes, { "content-type": "text/plain; charset=iso-8859-1" }),
    );
    const running = start(["call", "--timeout", "60s", "--path", "/"], makePlace(raw).env, [hawser]);
    const chunks: Buffer[] = [];
    running.process.stdout.setEncoding("latin1").on("data", (text: string) => chunks.push(Buffer.from(text, "latin1")));
    await running.ended;
    expect(Buffer.concat(chunks)).toEqual(bytes);
    await raw.close();
    const { place, spec } = placeWithDocument();
    expect((await runIn(place, ["api", "tags", ...spec])).stdout).toBe(`${evil}\n`);
  });
});
