// The example of accounts and permissions with the real programs: each runs as the user of its role, and needs nothing that the role lacks.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnAgent } from "@hawser/agent/host";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { makeFolder, openServer, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { until } from "../../../test/kit/until.ts";
import { runHawser, start, type Running } from "./run-hawser.ts";

const examples = join(import.meta.dirname, "..", "..", "..", "examples");
const accounts = readFileSync(join(examples, "fleet", "accounts.conf"), "utf8");
for (const [, variable = ""] of accounts.matchAll(/\$(HAWSER_\w+_PASSWORD)/g)) process.env[variable] = `secret-of-${variable}`;
const running: Running[] = [];
let address = "";

beforeEach(skipWithoutServer);
beforeAll(async () => {
  if (serverProgram !== "") ({ address } = await openServer({ more: accounts }));
});
afterEach(async () => {
  for (const one of running.splice(0)) {
    one.process.kill("SIGTERM");
    await one.ended;
  }
});

function as(role: string): string[] {
  const file = join(makeFolder("role"), role);
  writeFileSync(file, `${role}:secret-of-HAWSER_${role.toUpperCase()}_PASSWORD\n`, { mode: 0o600 });
  return ["--fleet", address, "--fleet-credentials", file];
}

function run(...args: string[]): Running {
  const started = start(args, { XDG_CONFIG_HOME: makeFolder("config"), XDG_DATA_HOME: makeFolder("data") });
  running.push(started);
  return started;
}

const refusal = /does not allow it|Permissions Violation/i;

it("tools, a runtime, a host and an operator work as their roles, and the server refuses nothing of it", async () => {
  const tools = run("expose", join(examples, "tools.ts"), "--name", "plant", ...as("tools"));
  const runtime = run("agent", "--model", "offline", ...as("runtimes"));
  const status = async (): Promise<string> => (await runHawser(["fleet", "status", "--json", ...as("operators")])).stdout;
  await until(async () => {
    const listed = await status();
    return listed.includes('"name":"plant"') && listed.includes('"name":"agents"');
  });
  expect(await runHawser(["bridge", "--service", "plant", "--check", ...as("callers")])).toMatchObject({ code: 0 });
  const chat = await runHawser(["chat", ...as("hosts"), "hello there"]);
  expect([chat.code, chat.stderr]).toEqual([0, expect.not.stringMatching(refusal)]);
  expect(chat.stdout.trim()).not.toBe("");
  const doctor = await runHawser(["doctor", "--json", ...as("operators")]);
  expect(doctor.stdout).toContain("HAWSER_JOURNAL");
  const listed = await runHawser(["chat", "--list", ...as("hosts")]);
  expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining("hello there")]);
  const [, servers = "", , credentials = ""] = as("hosts");
  let complaints = "";
  const agent = await spawnAgent({ fleet: { servers, credentials }, onStderr: (chunk) => void (complaints += String(chunk)) });
  const conversationId = (await agent.listConversations())[0]?.conversationId ?? "";
  expect((await agent.loadConversation(conversationId)).messages).toHaveLength(2);
  expect(await agent.repeat(conversationId)).toBeUndefined();
  await agent.close();
  expect(complaints).not.toMatch(refusal);
  const stranger = await runHawser(["chat", ...as("callers"), "hello"]);
  expect(stranger.code).not.toBe(0);
  for (const one of [tools, runtime]) {
    one.process.kill("SIGTERM");
    const { code, stderr } = await one.ended;
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(refusal)]);
  }
});

it("a sender and a worker do a batch as their roles, and the server refuses nothing of it", async () => {
  const worker = run("rpc", "--demo", "--site", "plant", "--workers", "2", ...as("workers"));
  const items = Array.from({ length: 20 }, (_, id) => `${JSON.stringify({ id, path: "/data/api/v1/gateway-info", site: "plant" })}\n`);
  const sent = await runHawser(["call", "--batch", "-", ...as("senders")], { input: items.join("") });
  expect([sent.code, sent.stderr]).toEqual([0, expect.not.stringMatching(refusal)]);
  const lines = sent.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { ok?: boolean });
  expect(lines.filter(({ ok }) => ok)).toHaveLength(20);
  worker.process.kill("SIGTERM");
  const { code, stderr } = await worker.ended;
  expect([code, stderr]).toEqual([0, expect.not.stringMatching(refusal)]);
});
