// Claude Code among the models of the agent: `--model claude-code/<model>`. Calls of the runtime's tools are handed back to
// the runtime; its own tools stay off unless HAWSER_CLAUDE_CODE_TOOLS names some, which it runs itself.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelProvider } from "@hawser/agent";

/** What its command line calls the one that its user has chosen. */
const chosenModel = "default";

export function createClaudeCodeModels(env: NodeJS.ProcessEnv, cwd: string): ModelProvider {
  return {
    prefix: "claude-code",
    defaultModel: chosenModel,
    ownsLoop: true,
    models: [chosenModel, "opus", "sonnet", "haiku"],
    async missing() {
      if (!mayHaveLogin(env)) return "Claude Code has no login here; log in once with `claude`, or set ANTHROPIC_API_KEY";
      const { isClaudeCodeAvailable } = await import("@hawser/claude-code");
      const isHere = isClaudeCodeAvailable({ env, cwd });
      return isHere ? undefined : "Claude Code is not here; run: npm install @anthropic-ai/claude-agent-sdk";
    },
    async create(model) {
      const { ClaudeCodeModel } = await import("@hawser/claude-code");
      const allowedTools = (env["HAWSER_CLAUDE_CODE_TOOLS"] ?? "").split(",").map((name) => name.trim());
      return new ClaudeCodeModel({
        ...(model !== chosenModel && { model }),
        allowedTools: allowedTools.filter((name) => name !== ""),
        env,
        cwd,
      });
    },
  };
}

/** Whether Claude Code may have an account. Only a clear no is one: a keychain, for example, can't be looked into. */
function mayHaveLogin(env: NodeJS.ProcessEnv): boolean {
  const { HOME: home, CLAUDE_CONFIG_DIR: folder } = env;
  if (process.platform !== "linux" || home === undefined) return true;
  if (Object.entries(env).some(([name, value]) => /^(?:ANTHROPIC|CLAUDE_CODE)_/.test(name) && value)) return true;
  if (existsSync("/etc/claude-code")) return true;
  const settings = join(folder ?? home, ".claude.json");
  const hasAccount = existsSync(settings) && /"(?:oauthAccount|primaryApiKey)"/.test(readFileSync(settings, "utf8"));
  return hasAccount || existsSync(join(folder ?? join(home, ".claude"), ".credentials.json"));
}
