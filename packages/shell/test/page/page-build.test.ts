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
  await build({ configFile, mode: "production", logLevel: "error", build: { outDir: folder, emptyOutDir: false, manifest: true } });
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = (pattern: string): string[] => globSync(pattern, { cwd: folder });
const read = (file: string): string => readFileSync(join(folder, file), "utf8");

const sizeOf = (file: string): number => gzipSync(readFileSync(join(folder, file))).length;
const sum = (sizes: readonly number[]): number => sizes.reduce((total, bytes) => total + bytes, 0);

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
}

/** A chunk with everything that it can't begin without. */
function withImports(manifest: Readonly<Record<string, Chunk>>, names: readonly string[], seen = new Set<string>()): string[] {
  for (const name of names) {
    if (seen.has(name)) continue;
    seen.add(name);
    withImports(manifest, manifest[name]?.imports ?? [], seen);
  }
  const chunks = [...seen].map((name) => manifest[name]);
  return [...new Set(chunks.flatMap((chunk) => (chunk ? [chunk.file, ...(chunk.css ?? [])] : [])))];
}

it("loads at most 200 KB gzipped at first, and what is needed later comes later", () => {
  const manifest = JSON.parse(read(".vite/manifest.json")) as Record<string, Chunk>;
  const first = withImports(manifest, ["index.html"]);
  const all = files("assets/*");
  console.log(`page: ${sum(first.map(sizeOf))} bytes gzipped at first`);
  console.log(all.map((file) => `  ${sizeOf(file)} ${file}`).join("\n"));
  expect(sum(first.map(sizeOf)) + sizeOf("index.html")).toBeLessThanOrEqual(maxGzippedBytes);
  for (const late of ["markdown", "highlight-worker", "wire-view", "settings-dialog"]) {
    const chunk = all.find((file) => file.startsWith(`assets/${late}-`));
    expect(chunk, late).toBeDefined();
    expect(first).not.toContain(chunk);
  }
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
