// What `hawser acp --print` gives to be put into an editor's configuration.

import { readFileSync, realpathSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { editors } from "../../src/acp/editors.ts";
import { makeStage, runIn } from "../agent/agent-stage.ts";

describe("hawser acp --print", () => {
  it.each([
    ["zed", "settings.json"],
    ["jetbrains", "acp.json"],
    ["neovim", "init.lua"],
    ["emacs", "init.el"],
  ])("prints the configuration of %s with the command that starts it and its flags, and where it belongs beside it", async (name, file) => {
    const { code, stdout, stderr } = await runIn(makeStage(), ["acp", "--print", name, "--model", "offline"]);
    expect(code).toBe(0);
    expect(stderr).toContain(file);
    expect(stdout).not.toContain(file);
    for (const word of [process.execPath, '"acp"', "--model=offline"]) expect(stdout).toContain(word);
  });

  it.each([
    ["zed", "custom"],
    ["jetbrains", undefined],
  ])("prints JSON and nothing else for %s, whose command works from another folder", async (name, type) => {
    const stage = makeStage();
    const { stdout } = await runIn(stage, ["acp", "--print", name, "--tools", "tools.mjs", "--config", "agent.json", "--data-dir", "data"]);
    const { Hawser: server } = (JSON.parse(stdout) as { agent_servers: Record<string, { type?: string; args: string[] }> }).agent_servers;
    expect(server?.type).toBe(type);
    const folder = realpathSync(stage.folder);
    expect(server?.args.slice(2)).toEqual([`--tools=${folder}/tools.mjs`, `--config=${folder}/agent.json`, `--data-dir=${folder}/data`]);
  });

  it("prints what the documentation shows", () => {
    const page = readFileSync(new URL("../../../../docs/agent/editors.md", import.meta.url), "utf8");
    const shown = (language: string) =>
      [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, block = ""]) => block);
    const command = { command: "/path/to/node", args: ["/path/to/hawser/bin/hawser.cjs", "acp"] };
    expect(shown("json").map((block) => JSON.parse(block) as unknown)).toEqual(
      [editors.zed, editors.jetbrains].map((print) => JSON.parse(print(command).text) as unknown),
    );
    const withoutTitles = editors.neovim(command).text.replaceAll(/^-- .*\n/gm, "");
    expect(shown("lua").join("\n")).toBe(withoutTitles);
    expect(shown("elisp")).toEqual([editors.emacs(command).text]);
  });

  it("refuses an editor that it doesn't know, and names those that it does", async () => {
    const { code, stderr } = await runIn(makeStage(), ["acp", "--print", "vi"]);
    expect(code).toBe(2);
    expect(stderr).toContain("neovim");
  });
});
