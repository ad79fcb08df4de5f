// The long test in short, as the program it is: so that it still works when it is needed.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { skipWithoutServer } from "../../../../test/kit/nats-server.ts";

const program = fileURLToPath(new URL("conversations.soak.ts", import.meta.url));

it("G20 conversations of a fleet in which things die: one end for each request, no tool twice, nothing acknowledged lost", (context) => {
  skipWithoutServer(context);
  const { stdout } = spawnSync(process.execPath, ["--conditions=hawser-source", program, "10", "11"], { encoding: "utf8" });
  expect(stdout).toMatch(/^fleet conversations: passed, 10 faults \(.*\), \d+ requests \(.*\), \d+ slow consumers, seed 11, [\d.]+ s\n$/);
});
