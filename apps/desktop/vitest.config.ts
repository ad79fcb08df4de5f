// How the tests of the desktop app run: one after the other, each with a screen, a bus and an app of its own.

import { defineConfig } from "vitest/config";

// An AppImage is started as what it is, by tests of its own; the others look into the app of the Debian package.
const isAppImage = process.env["HAWSER_DESKTOP_APPIMAGE"] === "1";

export default defineConfig({
  test: {
    include: isAppImage ? ["test/appimage.test.ts"] : ["test/**/*.test.ts"],
    exclude: isAppImage ? [] : ["test/appimage.test.ts"],
    // Real windows on shared cores: generous, never tight.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    pool: "forks",
    fileParallelism: false,
  },
});
