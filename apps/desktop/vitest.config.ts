// How the tests of the desktop app run: one after the other, each with a screen, a bus and an app of its own.

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Real windows on shared cores: generous, never tight.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    fileParallelism: false,
  },
});
