// The memory of the real program while it reads a document that costs a hundred times its text.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makePlace, runIn } from "./gateway-stage.ts";

const reportPeak = "process.on('exit',()=>console.error('peak',process.resourceUsage().maxRSS/1024))";
const operation = (at: number): string => `  /p${at}: {get: {operationId: o${at}, summary: s, tags: [a, b]}}\n`;
const document = `openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n${Array.from({ length: 26_000 }, (_, at) => operation(at)).join("")}`;

it.each([
  ["api list", ["api", "list", "--json"], "", '"operations"'],
  ["rpc", ["rpc"], `${JSON.stringify({ id: 1, op: "call", args: { op: "o7", timeout: "60s" } })}\n`, "/p7"],
])(
  "G10 SEC-05 %s reads a hostile document in less than 256 MB",
  async (_name, args, input, shown) => {
    const { folder, env } = makePlace({ url: "http://127.0.0.1:9" });
    const specFile = join(folder, "hostile.yaml");
    writeFileSync(specFile, document);
    const place = { folder, env: { ...env, XDG_CACHE_HOME: folder, NODE_OPTIONS: `--import=data:text/javascript,${reportPeak}` } };
    const { stdout, stderr } = await runIn(place, [...args, "--spec-file", specFile], { input });
    expect(stdout).toContain(shown);
    expect(Number(/peak ([\d.]+)/.exec(stderr)?.[1])).toBeLessThan(256);
  },
  60_000,
);
