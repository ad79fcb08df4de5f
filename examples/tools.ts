// Tools to try: `npx hawser expose examples/tools.ts -- claude`. They run in the process of
// `hawser expose`, so the counter keeps its value between calls and between clients.

import { defineTool } from "@hawser/bridge";

let counter = 0;

export const count = defineTool({
  name: "count",
  description: "Adds to a counter that lives in this process, and returns its value.",
  input: { type: "object", properties: { by: { type: "number", description: "How much to add; 1 unless given." } } },
  run: ({ by }) => (counter += typeof by === "number" ? by : 1),
});

export const whoami = defineTool({
  name: "whoami",
  description: "Tells which process answers.",
  input: { type: "object" },
  annotations: { readOnlyHint: true },
  run: (_, { client }) => ({ pid: process.pid, calledBy: client?.name }),
});
