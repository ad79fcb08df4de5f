// A long conversation through a small context, against scripted servers of three vendors that are as strict as the real ones.

import { expect, it } from "vitest";
import { defineTool } from "@hawser/tools";
import { createModelCatalog } from "../../src/model/catalog.ts";
import { createMemoryStore } from "../../src/history/memory-store.ts";
import { createStrictModel, type ContextApi } from "../../../../test/kit/models/strict-context.ts";
import { startScriptedAnthropic } from "../../../../test/kit/models/scripted-anthropic.ts";
import { startScriptedOpenAI } from "../../../../test/kit/models/scripted-openai.ts";
import { longTestsVariable } from "../../../../scripts/tasks/long-tests.ts";
import { openStage, say, textOf, type Stage } from "../runtime/stage.ts";

const isLong = Boolean(process.env[longTestsVariable]);
const window = 16_000;
const turns = isLong ? 200 : 14;

/** Not in the table of known models, so that only what the test says is known of them. */
const names = { messages: "anthropic/claude-harbour", responses: "openai/harbour", chat: "openai-compatible/harbour" };

const lookUp = (chars: number) =>
  defineTool({
    name: "look_up",
    description: "Looks something up.",
    input: { type: "object", properties: { turn: { type: "number" } } },
    annotations: { readOnlyHint: true },
    run: async () => ({ found: "x".repeat(chars) }),
  });

async function converse(
  api: ContextApi,
  known: { readonly window?: number },
  resultChars: number,
  run: (stage: Stage, model: ReturnType<typeof createStrictModel>) => Promise<void>,
) {
  const model = createStrictModel(api, { window, tool: "look_up" });
  const server = await (api === "messages" ? startScriptedAnthropic : startScriptedOpenAI)(model.script);
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url, OPENAI_API_KEY: "k", OPENAI_BASE_URL: server.url };
  const config = {
    openaiCompatible: { baseUrl: server.url },
    ...(known.window !== undefined && { contextWindows: { [names[api]]: known.window } }),
  };
  const stage = openStage({
    models: createModelCatalog({ env, config, model: names[api] }),
    store: createMemoryStore(),
    tools: [lookUp(resultChars)],
  });
  try {
    await run(stage, model);
    await stage.close();
  } finally {
    await server.close();
  }
}

async function turn(stage: Stage, id: string, message: string): Promise<string> {
  stage.send(say(id, message, "long"));
  const end = await stage.endOf(id);
  expect(end, JSON.stringify(end)).toMatchObject({ type: "done" });
  return textOf(stage.of(id));
}

const apis: readonly ContextApi[] = ["messages", "responses", "chat"];

it.each(
  apis.flatMap((api): [ContextApi, string, { window?: number }][] => [
    [api, "known", { window }],
    [api, "unknown", {}],
  ]),
)(
  "%s: %s window: every turn ends well, no use of a tool is parted from its result, and what was told first is known to the last",
  async (api, _, known) => {
    await converse(api, known, isLong ? 3_000 : 16_000, async (stage, model) => {
      for (let count = 1; count <= turns; count++) {
        const fact = count <= 5 ? `Remember FACT-${count}=${"abcde"[count - 1]}mber. ` : "";
        await turn(stage, `t${count}`, `${fact}Go on with number ${count}.`);
      }
      for (let fact = 1; fact <= 5; fact++)
        expect(await turn(stage, `f${fact}`, `what is FACT-${fact}?`)).toBe(`FACT-${fact}=${"abcde"[fact - 1]}mber.`);
      const compactions = stage.responses.filter(({ type }) => type === "compaction");
      expect(compactions.length).toBeGreaterThanOrEqual(isLong ? 10 : 3);
      expect(model.faults).toEqual([]);
      if (known.window !== undefined) expect(model.overflows).toBe(0);
      stage.send({ id: "load", kind: "load_conversation", conversationId: "long" });
      await stage.endOf("load");
      const loaded = stage.of("load").flatMap((response) => (response.type === "conversation" ? response.data.messages : []));
      expect(new Set(loaded.map(({ messageId }) => messageId)).size).toBe(2 * (turns + 5));
    });
  },
  isLong ? 600_000 : 60_000,
);
