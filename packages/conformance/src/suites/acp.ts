// The Agent Client Protocol, version 1, as scenarios: an agent on stdin and stdout, with us as its client. It can be any agent: prompts
// that make it do something are given by the one who runs the suite, and what it doesn't advertise is not asked of it.

import type { Suite } from "../scenario.ts";
import { acpHandshakeScenarios } from "./acp-handshake.ts";
import { acpQuestionScenarios } from "./acp-questions.ts";
import { acpRules } from "./acp-rules.ts";
import { housekeeping, request, settled } from "./acp-script.ts";
import { acpSessionScenarios } from "./acp-sessions.ts";
import { acpDialect } from "./acp-shapes.ts";
import { acpTurnScenarios } from "./acp-turns.ts";

export const acpSuite: Suite = {
  protocol: "acp",
  version: "1",
  codec: "ndjson",
  subject: "acp",
  // Agents start slowly, and a model may think before its first word.
  timeoutMs: 30_000,
  maxMessageBytes: 67_108_864,
  given: ["cwd", "otherFolder", "fileUri", "mcpServer", "prompt", "toolPrompt", "permissionPrompt", "slowPrompt"],
  skipping: housekeeping,
  probe: { send: request("probe", "_hawser.conform/probe", {}), expect: settled("probe") },
  dialect: acpDialect,
  rules: acpRules,
  scenarios: [...acpHandshakeScenarios, ...acpSessionScenarios, ...acpTurnScenarios, ...acpQuestionScenarios],
};
