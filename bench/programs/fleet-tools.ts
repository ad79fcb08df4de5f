// The far end of a fleet: offers one tool, and answers bare requests on a subject of its own, over the same connection.
// Argument: the address of the NATS server.

import { connectFleet, offerTools } from "@hawser/fleet/internal";
import { defineTool } from "@hawser/tools";
import { argument, serveUntilInputEnds } from "./serve-until-input-ends.ts";

const fleet = await connectFleet({ servers: argument() }, "bench");
const echo = defineTool({ name: "echo", description: "Echoes.", input: { type: "object" }, run: ({ index }) => ({ index }) });
const offered = await offerTools(fleet, { service: "bench", tools: [echo], version: "1.0.0", machine: "bench" });
fleet.connection.subscribe("bench.bare", {
  callback: (_, message) => {
    const { index } = message.json<{ params: { arguments: { index: number } } }>().params.arguments;
    message.respond(
      JSON.stringify({ result: { content: [{ type: "text", text: JSON.stringify({ index }) }], structuredContent: { index } } }),
    );
  },
});
await fleet.connection.flush();
serveUntilInputEnds("ready", async () => {
  await offered.stop();
  await fleet.close();
});
