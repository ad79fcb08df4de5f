// Claude Code among the models of the agent: `--model claude-code/<model>`. The runtime's own tools reach it through
// the bridge, and each call of one is handed back to the runtime, which asks its permissions and runs it.
// Its own tools stay off unless HAWSER_CLAUDE_CODE_TOOLS names some; those it runs itself. Loaded when it is used.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createModelCatalog, type Model, type ModelProvider } from "@hawser/agent";
import type { ClaudeCodeModel } from "@hawser/claude-code";

const toolsVariable = "HAWSER_CLAUDE_CODE_TOOLS";
const prefix = "claude-code";

/** What its command line calls the one that its user has chosen. */
const chosenModel = "default";

export function createClaudeCodeModels(env: NodeJS.ProcessEnv, cwd: string): ModelProvider {
  return {
    prefix,
    models: [chosenModel, "opus", "sonnet", "haiku"],
    get hint() {
      return mayHaveLogin(env)
        ? "Claude Code is not here; run: npm install @anthropic-ai/claude-agent-sdk"
        : "Claude Code has no login here; log in once with `claude`, or set ANTHROPIC_API_KEY";
    },
    async isAvailable() {
      const { isClaudeCodeAvailable } = await import("@hawser/claude-code");
      return mayHaveLogin(env) && isClaudeCodeAvailable({ env, cwd });
    },
    async create(model) {
      const { ClaudeCodeModel } = await import("@hawser/claude-code");
      const allowedTools = (env[toolsVariable] ?? "").split(",").map((name) => name.trim());
      const claude = new ClaudeCodeModel({
        ...(model !== chosenModel && { model }),
        allowedTools: allowedTools.filter((name) => name !== ""),
        env,
        cwd,
      });
      return forTurns(claude, `${prefix}/${model}`, env);
    },
  };
}

/**
 * The runtime aborts the signal that a model gets as soon as its step is over. Claude Code, which waits for the results
 * of the calls in it, needs the signal of the turn: then a turn that is cancelled ends it at once.
 */
function forTurns(claude: ClaudeCodeModel, name: string, env: NodeJS.ProcessEnv): Model {
  const { specificationVersion, provider, modelId, supportedUrls } = claude;
  return {
    name,
    async *stream(step) {
      const languageModel: Pick<
        ClaudeCodeModel,
        "specificationVersion" | "provider" | "modelId" | "supportedUrls" | "doGenerate" | "doStream"
      > = {
        specificationVersion,
        provider,
        modelId,
        supportedUrls,
        doGenerate: (call) => claude.doGenerate({ ...call, abortSignal: step.signal }),
        doStream: (call) => claude.doStream({ ...call, abortSignal: step.signal }),
      };
      const bound = {
        prefix,
        models: [],
        hint: "",
        isAvailable: () => Promise.resolve(true),
        create: () => Promise.resolve(languageModel),
      };
      const model = await createModelCatalog({ env, model: name, providers: [bound] }).pick();
      yield* model.stream(step);
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
