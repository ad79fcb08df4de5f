// How each ACP agent is started offline: in a home of its own, with a scripted model, and without its telemetry and its checks
// for updates; and how a model asks it for its own tools.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { installed } from "./installed.ts";
import { callOf, counting, told, type Scenes } from "./scripted-endpoint.ts";

export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export interface RealAgent {
  readonly name: "codex" | "claude" | "gemini" | "opencode" | "goose";
  /** The file that is there when it is installed. */
  readonly program: string;
  /** Writes its configuration into the home. */
  prepare(home: string, modelUrl: string): AgentCommand;
  /** What its model says to which prompt. */
  readonly scenes: Scenes;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const never = new Promise<never>(() => {});

const ofAll: Scenes = {
  "count the boats": counting,
  "say hello": [() => ({ text: ["hel", "lo"] })],
  "think aloud": [() => ({ thought: "boats float", text: "they float" })],
  "what was said": [
    ({ items }) => ({ text: items.some((item) => "text" in item && item.text.includes("say hello")) ? "you wanted hello" : "nothing" }),
  ],
  // The end never comes; the client goes away.
  "talk without end": [() => ({ text: ["one ", "two ", never] })],
};

const codex: RealAgent = {
  name: "codex",
  program: join(installed, "@agentclientprotocol", "codex-acp", "dist", "index.js"),
  prepare(home, modelUrl) {
    const provider = `[model_providers.scripted]\nname = "scripted"\nbase_url = "${modelUrl}/v1"\nwire_api = "responses"\n`;
    const quiet = "check_for_update_on_startup = false\n[analytics]\nenabled = false\n[features]\nplugins = false\n";
    write(join(home, "codex", "config.toml"), `model = "scripted"\nmodel_provider = "scripted"\n${quiet}${provider}`);
    return {
      command: process.execPath,
      args: [this.program],
      env: { CODEX_HOME: join(home, "codex"), NO_BROWSER: "1", INITIAL_AGENT_MODE: "read-only" },
    };
  },
  scenes: {
    ...ofAll,
    "write the file": [
      (question) =>
        callOf(question, "exec_command", {
          cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: boats.txt\n+four\n*** End Patch\nEOF",
        }),
      told,
    ],
    "run the command": [
      (question) =>
        callOf(question, "exec_command", {
          cmd: "touch boats",
          sandbox_permissions: "require_escalated",
          justification: "May I make a file?",
        }),
      told,
    ],
  },
};

const claude: RealAgent = {
  name: "claude",
  program: join(installed, "@agentclientprotocol", "claude-agent-acp", "dist", "index.js"),
  prepare(home, modelUrl) {
    return {
      command: process.execPath,
      args: [this.program],
      env: {
        CLAUDE_CONFIG_DIR: join(home, "claude"),
        ANTHROPIC_BASE_URL: modelUrl,
        ANTHROPIC_API_KEY: "none",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        CLAUDE_CODE_MAX_RETRIES: "0",
        // Else tools of servers are not told to the model before it has searched for them.
        ENABLE_TOOL_SEARCH: "false",
      },
    };
  },
  scenes: {
    ...ofAll,
    "write the file": [(question) => callOf(question, "Write", { file_path: "boats.txt", content: "four\n" }), told],
    "run the command": [(question) => callOf(question, "Bash", { command: "touch boats", description: "makes a file" }), told],
  },
};

const gemini: RealAgent = {
  name: "gemini",
  program: join(installed, ".bin", "gemini"),
  prepare(home, modelUrl) {
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    };
    write(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
    return {
      command: this.program,
      args: ["--acp", "-m", "gemini-2.5-flash", "--skip-trust"],
      env: { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: modelUrl },
    };
  },
  scenes: {
    ...ofAll,
    "write the file": [(question) => callOf(question, "write_file", { file_path: "boats.txt", content: "four\n" }), told],
    "run the command": [(question) => callOf(question, "run_shell_command", { command: "touch boats" }), told],
  },
};

const opencode: RealAgent = {
  name: "opencode",
  // Its own package has no program before its install script has run; the one of the platform does.
  program: join(installed, "opencode-linux-x64-baseline", "bin", "opencode"),
  prepare(home, modelUrl) {
    const options = { baseURL: `${modelUrl}/v1`, apiKey: "none" };
    const config = {
      provider: { scripted: { npm: "@ai-sdk/openai-compatible", options, models: { scripted: {} } } },
      model: "scripted/scripted",
      share: "disabled",
      autoupdate: false,
      permission: { edit: "ask", bash: "ask" },
    };
    write(join(home, "config", "opencode", "opencode.json"), JSON.stringify(config));
    return {
      command: this.program,
      args: ["acp", "--pure"],
      env: { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_DEFAULT_PLUGINS: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" },
    };
  },
  scenes: {
    ...ofAll,
    "write the file": [(question) => callOf(question, "write", { filePath: "boats.txt", content: "four\n" }), told],
    "run the command": [(question) => callOf(question, "bash", { command: "touch boats", description: "makes a file" }), told],
  },
};

const goose: RealAgent = {
  name: "goose",
  // The package that users install has the program of each platform as a package of its own.
  program: join(installed, "@aaif", "goose-binary-linux-x64", "bin", "goose"),
  prepare(_, modelUrl) {
    return {
      command: this.program,
      args: ["acp", "--with-builtin", "developer"],
      env: {
        GOOSE_PROVIDER: "openai",
        GOOSE_MODEL: "scripted",
        // Otherwise it does everything without asking.
        GOOSE_MODE: "approve",
        GOOSE_DISABLE_KEYRING: "1",
        GOOSE_TELEMETRY_ENABLED: "false",
        OPENAI_HOST: modelUrl,
        OPENAI_API_KEY: "none",
      },
    };
  },
  scenes: {
    ...ofAll,
    "write the file": [(question) => callOf(question, /(?:^|__)write$/, { path: "boats.txt", content: "four\n" }), told],
    "run the command": [(question) => callOf(question, /(?:^|__)shell$/, { command: "touch boats" }), told],
  },
};

export const realAgents: readonly RealAgent[] = [codex, claude, gemini, opencode, goose];

/** The agent's command, with folders of its own for everything that it may read or write. */
export function placeAgent(agent: RealAgent, home: string, modelUrl: string): AgentCommand {
  mkdirSync(home, { recursive: true });
  const { command, args, env } = agent.prepare(home, modelUrl);
  const places = ["CACHE", "CONFIG", "DATA", "STATE"].map((name) => [`XDG_${name}_HOME`, join(home, name.toLowerCase())]);
  return { command, args, env: { HOME: home, ...Object.fromEntries(places), ...env } };
}
