// The built page: small, and made of files only, so that its security policy can forbid everything else.

import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "hawser-page-"));
const maxGzippedBytes = 200_000;

beforeAll(async () => {
  const configFile = join(import.meta.dirname, "../../vite.config.ts");
  await build({ configFile, mode: "production", logLevel: "error", build: { outDir: folder, emptyOutDir: false } });
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = (pattern: string): string[] => globSync(pattern, { cwd: folder });
const read = (file: string): string => readFileSync(join(folder, file), "utf8");

it("is at most 200 KB gzipped, all files together", () => {
  const sizes = files("**/*.*").map((file) => ({ file, bytes: gzipSync(readFileSync(join(folder, file))).length }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  console.log(`page: ${total} bytes gzipped\n${sizes.map(({ file, bytes }) => `  ${bytes} ${file}`).join("\n")}`);
  expect(sizes.length).toBeGreaterThan(3);
  expect(total).toBeLessThanOrEqual(maxGzippedBytes);
});

it("has no inline script, no inline style, and loads nothing from elsewhere", () => {
  const html = read("index.html");
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
  const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
  expect(addresses.length).toBeGreaterThan(2);
  for (const address of addresses) expect(address).toMatch(/^\/assets\//);
  for (const sheet of files("**/*.css")) expect(read(sheet)).not.toMatch(/url\(\s*["']?(?!data:)|@import/);
});

it("evaluates no text as code, and reaches no module of Node", () => {
  const scripts = files("**/*.js").map(read);
  expect(scripts.length).toBeGreaterThan(0);
  for (const script of scripts) expect(script).not.toMatch(/\beval\(|new Function\(|__vite-browser-external|["']node:/);
});
