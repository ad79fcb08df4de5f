// Test files that have a longer form, for which `npm run test:soak` has the time.

export const longTestFiles = [
  "packages/acp/test/attack.test.ts",
  "packages/agent/test/attack/flipped-links.test.ts",
  "packages/agent/test/attack/memory.test.ts",
  "packages/agent/test/changes/attacked-undo.test.ts",
  "packages/agent/test/changes/killed-undo.test.ts",
  "packages/agent/test/changes/random-edits.test.ts",
  "packages/agent/test/context/killed-compaction.test.ts",
  "packages/agent/test/context/long-conversation.test.ts",
  "packages/agent/test/history/cut-journal.test.ts",
  "packages/agent/test/host/restart.test.ts",
  "packages/agent/test/tools/run-command.test.ts",
  "packages/agent/test/tools/traversal.test.ts",
  "packages/claude-code/test/soak/requests.test.ts",
  "packages/conformance/test/acp-suite.test.ts",
  "packages/conformance/test/bridge-suite.test.ts",
  "packages/conformance/test/echo-suite.test.ts",
  "packages/conformance/test/parent-suite.test.ts",
  "packages/gateway/test/rpc/rpc-process.test.ts",
  "packages/hawser/test/conform-acp.test.ts",
  "packages/hawser/test/conform-agent.test.ts",
  "packages/hawser/test/conform-rpc.test.ts",
  "packages/shell/test/browser/strange-answers.test.ts",
  "packages/wire/test/socket/sweep-crowd.test.ts",
];

/** Asks for that form. */
export const longTestsVariable = "HAWSER_LONG";
