// The same tools without a bridge: a server on the official library, loaded from node_modules module by
// module, as most servers on Node are. Plain JavaScript, since taking types out would cost it time and
// memory that the bundled bridge does not pay. Argument: the schema file of the session beside it.

import { readFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

/** @type {{ name: string, description: string, input_schema: { type: "object" } }[]} */
const schemas = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const tools = schemas.map(({ name, description, input_schema: inputSchema }) => ({ name, description, inputSchema }));

serveStdio(() => {
  const server = new Server({ name: "unbridged", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    if (params.name === "sleep") await new Promise((resolve) => setTimeout(resolve, Number(params.arguments?.["ms"])));
    return { content: [{ type: "text", text: /** @type {string} */ (params.arguments?.["text"]) }] };
  });
  return server;
});
process.stdin.once("end", () => process.exit(0));
