// How each client is started for one prompt: in a home of its own, with a scripted model, and with what a user would write
// into its configuration beside what `hawser expose --print` gives.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { installed } from "./installed.ts";

export interface ClientStart {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export interface RealClient {
  readonly name: "codex" | "gemini" | "opencode";
  readonly program: string;
  /** How what is printed for it ends. */
  readonly printedEnd: string;
  /** Writes its configuration into the home, which has a folder `work`; `printed` is what hawser printed, where it was asked to. */
  prepare(home: string, modelUrl: string, printed?: string): ClientStart;
}

const prompt = "count the boats";

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const codex: RealClient = {
  name: "codex",
  program: join(installed, ".bin", "codex"),
  printedEnd: '.json"]\n',
  prepare(home, modelUrl, printed = "") {
    const provider = `[model_providers.scripted]\nname = "scripted"\nbase_url = "${modelUrl}/v1"\nwire_api = "responses"\n`;
    const quiet = "check_for_update_on_startup = false\n[analytics]\nenabled = false\n[features]\nplugins = false\n";
    // As the page about Codex says: it waits for a server that is required, and asks for tools that may change something.
    const server = printed && `${printed}required = true\n`;
    write(join(home, "codex", "config.toml"), `model = "scripted"\nmodel_provider = "scripted"\n${quiet}${provider}${server}`);
    const approval = ["-c", 'mcp_servers.harbour.default_tools_approval_mode="approve"'];
    return {
      args: ["exec", "--cd", join(home, "work"), "--skip-git-repo-check", ...approval, prompt],
      env: { CODEX_HOME: join(home, "codex") },
    };
  },
};

const gemini: RealClient = {
  name: "gemini",
  program: join(installed, ".bin", "gemini"),
  printedEnd: "\n}\n",
  prepare(home, modelUrl, printed = "{}") {
    const settings = {
      ...(JSON.parse(printed) as object),
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    };
    write(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
    return {
      args: ["-m", "gemini-2.5-flash", "--skip-trust", "--approval-mode", "yolo", "-p", prompt],
      env: { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: modelUrl },
    };
  },
};

const opencode: RealClient = {
  name: "opencode",
  // Its own package has no program before its install script has run; the one of the platform does.
  program: join(installed, "opencode-linux-x64-baseline", "bin", "opencode"),
  printedEnd: "\n}\n",
  prepare(home, modelUrl, printed = "{}") {
    const options = { baseURL: `${modelUrl}/v1`, apiKey: "none" };
    const config = {
      ...(JSON.parse(printed) as object),
      provider: { scripted: { npm: "@ai-sdk/openai-compatible", options, models: { scripted: {} } } },
      model: "scripted/scripted",
      share: "disabled",
      autoupdate: false,
    };
    write(join(home, "config", "opencode", "opencode.json"), JSON.stringify(config));
    return {
      args: ["run", "--pure", "--dir", join(home, "work"), prompt],
      env: { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_DEFAULT_PLUGINS: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" },
    };
  },
};

export const realClients: readonly RealClient[] = [codex, gemini, opencode];
