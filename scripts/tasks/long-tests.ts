// Test files that attack for so long that `npm test` would come near its bound of twelve minutes. They belong to
// `npm run test:soak`; `npm test` prints that they were left out.

import type { Step } from "./steps.ts";

export const longTestFiles = [
  "packages/agent/test/attack/memory.test.ts",
  "packages/hawser/test/conform-rpc.test.ts",
  "packages/shell/test/server/hostile-requests.test.ts",
];

/** Set for whoever wants them. */
export const longTestsVariable = "HAWSER_LONG";

export const leftOutTests: Step = {
  name: "long attacks",
  run: async () => ({ status: "skipped", text: `they take minutes; run: npm run test:soak (${longTestFiles.join(", ")})` }),
};
