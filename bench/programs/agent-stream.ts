// An agent runtime whose model does what the message orders: so many tokens of so many characters, one
// after the other or with a pause between them. Everything around the model is ours, as it is shipped.

import { setTimeout as sleep } from "node:timers/promises";
import { ndjson, runStdio } from "@hawser/wire/node";
import {
  createMemoryStore,
  createOneWorkspace,
  createPolicy,
  serveAgent,
  type Model,
  type ModelStep,
} from "../../packages/agent/src/index.ts";
import { orderedTokens, type TokenOrder } from "../peers/token-order.ts";

const model: Model = {
  name: "bench",
  async *stream({ messages }: ModelStep) {
    // The last message is the answer in the making.
    const part = messages.findLast(({ role }) => role === "user")?.parts[0];
    const order = JSON.parse(part?.type === "text" ? part.text : "") as TokenOrder;
    for (const token of orderedTokens(order)) {
      if (order.pauseMs > 0) await sleep(order.pauseMs);
      yield { type: "text", text: token() };
    }
  },
};

const parts = {
  models: { current: "bench", pick: async () => model, list: async () => [{ model: "bench", available: true, current: true }] },
  store: createMemoryStore(),
  workspaces: createOneWorkspace({ policy: createPolicy() }),
  build: "0.0.0",
};

await runStdio({ codec: ndjson, serve: (transport, lifecycle) => serveAgent(transport, parts, { lifecycle }) });
