// Every request to the real command line but those about the life of steps, in one process: each test shows what
// it is about, and all of them together that nothing is left, however requests end.

import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { defineTool } from "../../src/index.ts";
import { say, use } from "../../../../test/kit/claude-code/scripted-model.ts";
import { closedStages, countDescriptors, countStarts, isLong, makeStage } from "../stage.ts";
import { hasCli, processesOf, until } from "../../../../test/kit/claude-code/surroundings.ts";

// Each declares its tests.
await import("../requests/both-transports.ts");
await import("../requests/failures.ts");
await import("../requests/language-model.ts");
await import("../requests/request-life.ts");
await import("../requests/sessions.ts");
await import("../requests/settings.ts");
if (isLong) await import("../requests/session-settings.ts");

// Where the tests above have made fewer requests, the rest is made here; a short run needs no more than theirs.
const wanted = isLong ? 50 : 16;

describe.runIf(hasCli)("all of them", () => {
  it(
    "R71 requests over both transports, of every kind of end; 0 processes, 0 files and 0 descriptors are left",
    { timeout: 480_000 },
    async () => {
      const stage = await makeStage(({ results }) => (results.length > 0 ? say("done") : [use("mcp__hawser__count")]));
      const model = stage.create();
      const tool = defineTool({ name: "count", description: "", input: { type: "object" }, run: () => 1 });
      // Each stage has looked at its own files.
      let before = closedStages[0]?.descriptors;
      for (let more = 0; countStarts() < wanted; more++) {
        model.setAgentToolsets([tool], { transport: more % 2 === 0 ? "stdio" : "sdk" });
        expect((await model.request("go")).text).toBe("done");
        expect(fs.readdirSync(stage.directory)).toEqual([]);
        before ??= countDescriptors();
      }
      expect(countStarts()).toBeGreaterThanOrEqual(wanted);
      const homes = [stage, ...closedStages].map(({ home }) => home);
      await until(() => homes.flatMap(processesOf).length === 0, "every process has ended");
      await stage.model.close();
      await until(() => countDescriptors() <= before! + 2, `descriptors are as before: ${countDescriptors()}, not ${before}`);
    },
  );
});
