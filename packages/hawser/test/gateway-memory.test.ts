// The memory of the real program while it reads documents that cost far more than their text (many small values, and
// one text of 33 MB, which is copied with whatever holds it), and while very much passes through it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { startDemoApi } from "@hawser/gateway";
import { expect, it } from "vitest";
import { makePlace, runIn, talkIn, type Place } from "./gateway-stage.ts";

const NODE_OPTIONS = `--import=${pathToFileURL(join(import.meta.dirname, "fixtures", "report-peak.mjs")).href}`;
const peakIn = (stderr: string): number => Number(/peak ([\d.]+)/.exec(stderr)?.[1]);
const operation = (at: number): string => `  /p${at}: {get: {operationId: o${at}, summary: s, tags: [a, b]}}\n`;
const smallValues = `openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n${Array.from({ length: 26_000 }, (_, at) => operation(at)).join("")}`;

// One letter that is not Latin doubles what the whole text takes.
const longText = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "T", version: "1" },
  paths: { "/p7": { get: { operationId: "o7", description: `${"d".repeat(33_000_000)}Ж` } } },
});

const list = { command: "api list", run: (place: Place, flags: string[]) => runIn(place, ["api", "list", "--json", ...flags]) };
const call = { id: 1, op: "call", args: { op: "o7", timeout: "10m" } };
const rpc = { command: "rpc", run: (place: Place, flags: string[]) => talkIn(place, [call], { args: flags }) };

it.each([
  { ...list, what: "many small values", document: smallValues, shown: '"operations"' },
  { ...rpc, what: "many small values", document: smallValues, shown: "/p7" },
  { ...list, what: "one long text", document: longText, shown: '"operationId": "o7"' },
  { ...rpc, what: "one long text", document: longText, shown: "it has more than 2097152 bytes (maxOperationBytes)" },
])("G10 SEC-05 $command reads a hostile document of $what in less than 256 MB", async ({ run, document, shown }) => {
  const { folder, env } = makePlace({ url: "http://127.0.0.1:9" });
  const specFile = join(folder, "hostile.yaml");
  writeFileSync(specFile, document);
  const place = { folder, env: { ...env, XDG_CACHE_HOME: folder, NODE_OPTIONS } };
  const { stdout, stderr } = await run(place, ["--spec-file", specFile]);
  expect(stdout).toContain(shown);
  expect(peakIn(stderr)).toBeLessThan(256);
});

it("G10 rpc makes 5,000 calls of 20 kB, 100 MB of input, in less than 256 MB", async ({ onTestFinished }) => {
  const api = await startDemoApi({ token: "demo-token" });
  onTestFinished(() => api.stop());
  const place = makePlace(api);
  const args = { method: "POST", path: "/data/api/v1/nowhere", yes: true, body: "x".repeat(20_000) };
  const line = JSON.stringify({ op: "call", args });
  const lines = Array.from({ length: 5_000 }, () => line);
  const { stderr, answers } = await talkIn({ ...place, env: { ...place.env, NODE_OPTIONS } }, lines, { args: ["--workers", "8"] });
  expect(answers.filter(({ status }) => status === 404)).toHaveLength(5_000);
  expect(peakIn(stderr)).toBeLessThan(256);
});
