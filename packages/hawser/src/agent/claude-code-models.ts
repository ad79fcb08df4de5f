// Claude Code among the models of the agent: `--model claude-code/<model>`. The runtime's own tools reach it through
// the bridge, and each call of one is handed back to the runtime, which asks its permissions and runs it.
// Its own tools stay off unless HAWSER_CLAUDE_CODE_TOOLS names some; those it runs itself. Loaded when it is used.

import type { ModelProvider } from "@hawser/agent";

const toolsVariable = "HAWSER_CLAUDE_CODE_TOOLS";

/** What its command line calls the one that its user has chosen. */
const chosenModel = "default";

export function createClaudeCodeModels(env: NodeJS.ProcessEnv, cwd: string): ModelProvider {
  return {
    prefix: "claude-code",
    models: [chosenModel, "opus", "sonnet", "haiku"],
    hint: "Claude Code is not here; run: npm install @anthropic-ai/claude-agent-sdk",
    async isAvailable() {
      const { isClaudeCodeAvailable } = await import("@hawser/claude-code");
      return isClaudeCodeAvailable({ env, cwd });
    },
    async create(model) {
      const { ClaudeCodeModel } = await import("@hawser/claude-code");
      const allowedTools = (env[toolsVariable] ?? "").split(",").map((name) => name.trim());
      return new ClaudeCodeModel({
        ...(model !== chosenModel && { model }),
        allowedTools: allowedTools.filter((name) => name !== ""),
        env,
        cwd,
      });
    },
  };
}
