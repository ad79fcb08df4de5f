// How the page is built: src/page → dist/page, as files only. Nothing is inlined, since the page's own
// security policy lets no inline script or style run.

import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";

export default defineConfig({
  root: `${import.meta.dirname}/src/page`,
  base: "/",
  plugins: [tailwindcss()],
  // Whoever builds it, from a test as well: the page is the one that people get.
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  resolve: { conditions: ["hawser-source", "module", "browser", "production"] },
  build: {
    outDir: `${import.meta.dirname}/dist/page`,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: ["chrome123", "firefox125", "safari17.5"],
    reportCompressedSize: false,
  },
});
