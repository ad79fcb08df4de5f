// An ACP agent that answers at once, on bare lines: what is measured with it is the way to it and back.

import { createInterface } from "node:readline";

/** @param {object} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/** @type {Record<string, object>} */
const results = {
  initialize: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] },
  "session/new": { sessionId: "bench" },
  "session/prompt": { stopReason: "end_turn" },
};
const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hello" } };

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = /** @type {{ id?: number, method: string }} */ (JSON.parse(line));
  if (id === undefined) return;
  if (method === "session/prompt") send({ method: "session/update", params: { sessionId: "bench", update } });
  send({ id, result: results[method] ?? {} });
});
