// How the tests with real clients run: one after the other, from the sources of all packages.

import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["hawser-source"] },
  ssr: { resolve: { conditions: ["hawser-source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    // Large programs on shared cores: generous, never tight.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: "forks",
    fileParallelism: false,
  },
});
