// How `npm run test:fleet` runs the long tests of a fleet, in whichever package they lie: one file after the other, since each
// starts servers and programs of its own.

import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: join(import.meta.dirname, "..", ".."),
  resolve: { conditions: ["hawser-source"] },
  ssr: { resolve: { conditions: ["hawser-source"] } },
  test: {
    include: ["packages/*/test/**/*.fleet.ts"],
    // Clusters that lose servers and find a new leader, on shared cores: generous, never tight.
    testTimeout: 600_000,
    hookTimeout: 180_000,
    pool: "forks",
    fileParallelism: false,
  },
});
