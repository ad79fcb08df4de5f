// Instructions and skills as a host meets them: the real runtime, a model's server that keeps what it is told, and the question about a folder.

import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import { spawnAgent, type PermissionRequest, type SpawnedAgent } from "@hawser/agent/host";
import { afterAll, describe, expect, it } from "vitest";
import { hawserCommand, makeStage, startOnTerminal, writeFile, type Stage } from "./agent-stage.ts";

const started: SpawnedAgent[] = [];
afterAll(() => Promise.all(started.map((agent) => agent.close())));

interface Started {
  readonly agent: SpawnedAgent;
  readonly questions: PermissionRequest[];
  readonly log: () => string;
}

async function start(stage: Stage, flags: readonly string[] = [], answer: "allow" | "deny" = "allow"): Promise<Started> {
  const questions: PermissionRequest[] = [];
  let log = "";
  const [command, ...args] = hawserCommand(["agent", ...flags]);
  const onPermission = (question: PermissionRequest): "allow" | "deny" => (questions.push(question), answer);
  const onStderr = (chunk: Buffer): void => void (log += chunk.toString());
  const agent = await spawnAgent({ command, args, cwd: stage.folder, env: stage.env, restart: false, onStderr, onPermission });
  started.push(agent);
  return { agent, questions, log: () => log };
}

async function say(agent: SpawnedAgent, message: string, conversationId = "one"): Promise<string> {
  let text = "";
  for await (const event of agent.send({ message, metadata: { conversationId } })) if (event.type === "token") text += event.token;
  return text;
}

const skill = "---\nname: tides\ndescription: Computes tides.\n---\nHigh water is at noon.\n";
const files = { "AGENTS.md": "Use tabs, not spaces.", ".agents/skills/tides/SKILL.md": skill };

describe.concurrent("a folder with instructions and skills", () => {
  it("G18 tells the model nothing before it is trusted: a host of the first contract works as before, and the status says why", async () => {
    const stage = makeStage(files);
    const { agent, questions, log } = await start(stage);
    const status = await agent.status();
    expect(status).toMatchObject({ instructions: [], skills: [] });
    expect(status.leftOut).toContainEqual({ path: join(realpathSync(stage.folder), "AGENTS.md"), reason: "its folder is not trusted" });
    expect(await say(agent, "list the tools")).not.toContain("read_skill");
    expect(questions).toEqual([]);
    expect(log()).toContain("isn't trusted; /trust in a chat asks about it, --trust says yes");
  });

  it("G18 asks the host whose conversation works there, shows the texts, and counts from then on, also after they change", async () => {
    const stage = makeStage();
    const folder = join(realpathSync(stage.home), "project");
    for (const [path, text] of Object.entries(files)) writeFile(join(folder, path), text);
    const { agent, questions } = await start(stage);
    await agent.setWorkspace("one", { folders: [folder] });
    expect(questions).toMatchObject([{ toolName: "trust_folder", input: { folder } }]);
    expect(((questions[0]?.input ?? {}) as { brings?: string[] }).brings).toEqual([
      "instructions for the model in AGENTS.md, 21 bytes: Use tabs, not spaces.",
      "the skill tides in .agents/skills/tides/SKILL.md: Computes tides.",
    ]);
    expect(await agent.status("one")).toMatchObject({
      instructions: [{ path: join(folder, "AGENTS.md"), bytes: 21 }],
      skills: [{ name: "tides", description: "Computes tides.", path: join(folder, ".agents/skills/tides/SKILL.md") }],
    });
    expect((await agent.status("two")).instructions).toEqual([]);
    expect(await say(agent, 'use read_skill with {"name": "tides"}')).toContain("High water is at noon.");
    writeFileSync(join(folder, "AGENTS.md"), "Use spaces.");
    expect((await agent.status("one")).instructions).toEqual([{ path: join(folder, "AGENTS.md"), bytes: 11 }]);
    await agent.setWorkspace("one", { folders: [folder] });
    expect(questions).toHaveLength(1);
  });

  it("G18 shows a text with its lines, none of which passes for another thing that the folder brings", async () => {
    const stage = makeStage({ "AGENTS.md": "# Rules\r\n\r\nUse tabs.\n- the tools of x\u202e\n" });
    const { agent, questions } = await start(stage);
    await agent.setWorkspace("one", { folders: [stage.folder] });
    const brings = ["instructions for the model in AGENTS.md, 41 bytes:\n    # Rules\n    \n    Use tabs.\n    - the tools of x⟨U+202E⟩"];
    expect(questions).toMatchObject([{ input: { brings } }]);
  });

  it("G18 is asked about once more when it brings something that runs, and a no for one folder is none for another", async () => {
    const stage = makeStage();
    const [one, two] = ["one", "two"].map((name) => join(realpathSync(stage.home), name)) as [string, string];
    for (const folder of [one, two]) writeFile(join(folder, "AGENTS.md"), "text");
    const { agent, questions } = await start(stage, [], "deny");
    for (const folder of [one, two, one]) await agent.setWorkspace("c", { folders: [folder] });
    expect(questions.map(({ input }) => (input as { folder: string }).folder)).toEqual([one, two]);
    writeFile(join(one, ".hawser/agent.json"), JSON.stringify({ instructions: "more" }));
    await agent.setWorkspace("c", { folders: [one] });
    expect(questions).toHaveLength(3);
  });

  it("is trusted with --trust; the user's own instructions and skills need none", async () => {
    const stage = makeStage(files);
    writeFile(join(stage.home, "config/hawser/AGENTS.md"), "Be brief.");
    writeFile(join(stage.home, ".agents/skills/mine/SKILL.md"), "---\nname: mine\ndescription: My own.\n---\n");
    const own = (await start(stage)).agent;
    expect(await own.status()).toMatchObject({ instructions: [{ bytes: 9 }], skills: [{ name: "mine" }] });
    const { agent } = await start(stage, ["--trust"]);
    expect(await agent.status()).toMatchObject({
      instructions: [{ bytes: 9 }, { bytes: 21 }],
      skills: [{ name: "mine" }, { name: "tides" }],
    });
    expect((await agent.status()).leftOut).toBeUndefined();
  });

  it("tells the model the text with the file that it comes from, the names of skills, and offers read_skill", async () => {
    const told: {
      readonly messages: readonly { readonly role: string; readonly content: string }[];
      readonly tools: readonly unknown[];
    }[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.once("end", () => {
        told.push(JSON.parse(body) as (typeof told)[number]);
        const chunk = {
          id: "1",
          object: "chat.completion.chunk",
          created: 1,
          model: "m",
          choices: [{ index: 0, delta: { content: "Aye." }, finish_reason: "stop" }],
        };
        response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const stage = makeStage(files, { model: "openai-compatible/m", openaiCompatible: { baseUrl: `http://127.0.0.1:${port}/v1` } });
    const { agent } = await start(stage, ["--trust"]);
    expect(await say(agent, "Hello")).toBe("Aye.");
    server.close();
    const system = told[0]?.messages.find(({ role }) => role === "system")?.content ?? "";
    expect(system).toContain(`From the file ${join(realpathSync(stage.folder), "AGENTS.md")}`);
    expect(system).toContain("Use tabs, not spaces.");
    expect(system).toContain("- tides: Computes tides.");
    expect(system).not.toContain("High water");
    expect(JSON.stringify(told[0]?.tools)).toContain('"read_skill"');
  });

  it("G18 can't be changed where it is the user's own, even by an agent that may write there", async () => {
    const stage = makeStage();
    mkdirSync(join(stage.home, "config/hawser"), { recursive: true });
    const { agent } = await start(stage);
    await agent.setWorkspace("one", { folders: [stage.home] });
    for (const path of ["config/hawser/AGENTS.md", ".claude/skills/x/SKILL.md"])
      expect(await say(agent, `write "obey" to ${path}`)).toContain("holds settings of the agent");
  });
});

describe("the chat", () => {
  it("shows with /skills what the model is told, and asks with /trust", async () => {
    const tides = { command: process.execPath, args: ["-e", ""], disabled: true };
    const stage = makeStage({ ...files, ".hawser/agent.json": JSON.stringify({ mcpServers: { tides } }) });
    const chat = startOnTerminal(stage, ["chat", "--model", "offline"]);
    await chat.printed("/help");
    chat.process.stdin.write("/skills\n");
    await chat.printed(".hawser/agent.json its folder is not trusted");
    await chat.printed("AGENTS.md its folder is not trusted");
    await chat.printed("/trust shows what the folder brings along");
    chat.process.stdin.write("/trust\n");
    await chat.printed("Trust the folder");
    await chat.printed("Use tabs, not spaces.");
    await chat.printed("counts from now on");
    await chat.printed(/trusted-folders\.json/);
    await chat.printed(/trust.*no/);
    chat.process.stdin.write("trust\n");
    await chat.printed("Instructions");
    await chat.printed("tides");
    const kept = JSON.parse(readFileSync(join(stage.home, "data/hawser/trusted-folders.json"), "utf8")) as { trusted: object[] };
    expect(kept.trusted).toMatchObject([{ folder: realpathSync(stage.folder) }]);
    chat.process.stdin.write("/quit\n");
    expect((await chat.ended).code).toBe(0);
  });
});
