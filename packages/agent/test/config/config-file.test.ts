// The agent's configuration file: what it may hold, where it lies, and what is said when it is wrong.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { agentConfigPath, loadAgentConfig, type LoadedConfig } from "../../src/config/config-file.ts";

const root = mkdtempSync(join(tmpdir(), "hawser-config-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const canary = "sk-canary-0123456789abcdef";

function write(content: unknown): string {
  const folder = mkdtempSync(join(root, "c-"));
  const path = join(folder, "agent.json");
  writeFileSync(path, typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content));
  return path;
}

async function load(path: string): Promise<LoadedConfig & { warnings: string[] }> {
  const warnings: string[] = [];
  return { ...(await loadAgentConfig({ env: {}, path, warn: (message) => warnings.push(message) })), warnings };
}

async function problemOf(content: unknown): Promise<string> {
  const path = write(content);
  const message = await load(path).then(
    () => "accepted",
    (error: Error) => error.message,
  );
  return message.replace(path, "FILE");
}

describe("where it lies", () => {
  it("is XDG_CONFIG_HOME where that is absolute, else ~/.config", () => {
    expect(agentConfigPath({ XDG_CONFIG_HOME: "/x" })).toBe(join("/x", "hawser", "agent.json"));
    for (const value of [undefined, "", "relative"]) {
      expect(agentConfigPath({ XDG_CONFIG_HOME: value })).toBe(join(homedir(), ".config", "hawser", "agent.json"));
    }
  });

  it("the usual one is read, and may be missing", async () => {
    const home = mkdtempSync(join(root, "home-"));
    const env = { XDG_CONFIG_HOME: home };
    expect(await loadAgentConfig({ env, warn: () => {} })).toEqual({ config: {}, path: undefined });
    mkdirSync(join(home, "hawser"));
    writeFileSync(join(home, "hawser", "agent.json"), `{"model":"offline"}`);
    expect(await loadAgentConfig({ env, warn: () => {} })).toEqual({
      config: { model: "offline" },
      path: join(home, "hawser", "agent.json"),
    });
  });

  it("one that was named must be there", async () => {
    await expect(load(join(root, "none.json"))).rejects.toThrow(`configuration file ${join(root, "none.json")} is not there`);
    await expect(load(root)).rejects.toThrow("is not a file");
  });
});

describe("what it holds", () => {
  it("everything that is documented is taken as it is, paths as seen from its folder", async () => {
    const config = {
      model: "anthropic/claude-sonnet-4-5",
      openaiCompatible: { baseUrl: "http://127.0.0.1:8080/v1", apiKeyEnv: "MY_KEY", models: ["m"] },
      allowedCommands: ["git", "npm"],
      permissions: [{ tool: "write_file", decision: "allow", match: { path: "notes/**" } }],
      rememberPermissions: true,
      mcpServers: {
        files: { command: "npx", args: ["-y", "server"], env: { EMPTY: "" } },
        remote: { type: "http", url: "https://example.com/mcp", headers: { Authorization: canary } },
      },
      gateway: { profile: "plant", include: ["get*"], allowMutations: false },
      instructions: "",
      limits: { agentSteps: 10, permissionMs: 1_000 },
      prices: { "anthropic/claude-sonnet-4-5": { inputPerMillion: 3, outputPerMillion: 15, cachedInputPerMillion: 0.3 } },
    };
    const path = write({ ...config, roots: [".", "~/notes", "/abs"], tools: ["./tools.ts"] });
    const folder = join(path, "..");
    const loaded = await load(path);
    expect(loaded).toEqual({
      config: { ...config, roots: [folder, join(homedir(), "notes"), "/abs"], tools: [join(folder, "tools.ts")] },
      path,
      warnings: [],
    });
  });

  it("what it does not know is a warning with file and key, at every level", async () => {
    const path = write({ modle: "offline", mcpServers: { a: { command: "x", autoApprove: true } }, limits: { agentSpeed: 5 } });
    const { warnings } = await load(path);
    expect(warnings.map((warning) => warning.replace(path, "FILE").replace(/;.*/, ""))).toEqual([
      "FILE: modle means nothing",
      "FILE: mcpServers.a.autoApprove means nothing",
      "FILE: limits.agentSpeed means nothing",
    ]);
  });

  it.each([
    [[], "FILE: the configuration must be an object"],
    ['{\n "model": offline }', "FILE: not valid JSON"],
    ['{\n "model": "offline",\n}', "FILE: not valid JSON, at line 3 column 1"],
    [{ model: 5 }, "FILE: model must be a text that is not empty"],
    [{ roots: "here" }, "FILE: roots must be a list"],
    [{ roots: ["a", ""] }, "FILE: roots[1] must be a text that is not empty"],
    [{ openaiCompatible: {} }, "FILE: openaiCompatible.baseUrl is missing"],
    [{ permissions: [{ tool: "x", decision: "maybe" }] }, "FILE: permissions[0] needs `decision`: allow, ask or deny"],
    [
      { mcpServers: { a: {} } },
      "FILE: mcpServers.a needs one of: a command to start, a url to connect to, a fleet whose machines have the tools",
    ],
    [{ mcpServers: { a: { command: "x", env: { KEY: 5 } } } }, "FILE: mcpServers.a.env.KEY must be a text"],
    [{ limits: { agentSteps: 0 } }, "FILE: limits.agentSteps must be a whole number from 1 to 2147483647"],
    [{ prices: { m: { inputPerMillion: 3 } } }, "FILE: prices.m.outputPerMillion is missing"],
    [{ prices: { m: { inputPerMillion: -1, outputPerMillion: 0 } } }, "FILE: prices.m.inputPerMillion must be a number of at least 0"],
    [{ gateway: { allowMutations: "yes" } }, "FILE: gateway.allowMutations must be true or false"],
  ])("%j is refused with the file and the key", async (content, problem) => {
    expect(await problemOf(content)).toBe(problem);
  });

  it("SEC-01: what is said about a broken one never holds a value of it", async () => {
    const contents = [
      { model: { [`x`]: canary } },
      { mcpServers: { a: { command: "x", env: canary } } },
      { mcpServers: { a: { headers: { A: canary } } } },
    ];
    for (const content of [...contents, `{"a": ${canary}}`, [canary]]) expect(await problemOf(content)).not.toContain("sk-");
  });

  it("G10: one that is too large, or is not text, is refused", async () => {
    expect(await problemOf(`{"instructions":"${"x".repeat(agentLimits.agentConfigBytes)}"}`)).toContain(
      `is larger than ${agentLimits.agentConfigBytes} bytes`,
    );
    expect(await problemOf(Buffer.from([0x7b, 0xff, 0x7d]))).toContain("is not UTF-8 text");
  });
});
