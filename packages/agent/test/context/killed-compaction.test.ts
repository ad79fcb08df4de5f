// A runtime that is killed while it summarises: what it had acknowledged is there, and the history loads.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { longTestsVariable } from "../../../../scripts/tasks/long-tests.ts";
import { storeIn, temporaryFolder } from "../history/stores.ts";

const kills = process.env[longTestsVariable] ? 200 : 3;
const program = fileURLToPath(new URL("../fixtures/compacting-agent.ts", import.meta.url));

/** What it said before it was killed, somewhere in what it does after so many lines. */
async function runAndKill(folder: string, run: number): Promise<string[]> {
  const child = spawn(process.execPath, ["--conditions=hawser-source", program, folder, String(run)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const killAt = 2 + Math.floor(Math.random() * 10);
  let output = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    const before = output.split("\n").length;
    output += chunk;
    if (before <= killAt && output.split("\n").length > killAt) setTimeout(() => child.kill("SIGKILL"), Math.random() * 6);
  });
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  expect(signal, output).toBe("SIGKILL");
  return output.split("\n").slice(0, -1);
}

it(
  `G12 killed ${kills} times: every acknowledged turn and summary is there, and no other summary than one that was begun`,
  async () => {
    const folder = temporaryFolder();
    const turns: string[] = [];
    let summaries = 0;
    for (let run = 0; run < kills; run++) {
      const lines = await runAndKill(folder, run);
      turns.push(...lines.filter((line) => line.startsWith("done ")).map((line) => line.slice("done ".length)));
      const acknowledged = lines.filter((line) => line.startsWith("compacted ")).length;
      const { store, notices } = storeIn(folder);
      const conversation = await store.open("c");
      const answered = new Set(
        conversation.messages.flatMap(({ role, requestId, interrupted }) =>
          role === "assistant" && interrupted === undefined ? [requestId] : [],
        ),
      );
      expect(turns.filter((id) => !answered.has(id))).toEqual([]);
      const known = new Set(conversation.messages.map(({ messageId }) => messageId));
      expect(conversation.summaries.filter(({ through }) => !known.has(through))).toEqual([]);
      expect(conversation.summaries.length - summaries).toBeGreaterThanOrEqual(acknowledged);
      expect(conversation.summaries.length - summaries).toBeLessThanOrEqual(acknowledged + 1);
      summaries = conversation.summaries.length;
      await conversation.close();
      await store.close();
      expect(notices.filter((notice) => !notice.includes("was not written to its end"))).toEqual([]);
    }
  },
  kills * 20_000,
);
