// The program behind the bridge: twenty tools, of which one echoes and one sleeps. Arguments: a directory for
// the session's files, and how many tools if not twenty. Prints the paths of the socket and of the schema file when it is ready.

import { createIPCSession, defineTool, type ToolDefinition } from "../../packages/bridge/src/index.ts";
import { argument, serveUntilInputEnds } from "./serve-until-input-ends.ts";

const properties = {
  text: { type: "string", description: "Comes back as it is." },
  path: { type: "string", description: "A path, relative to the root." },
  from: { type: "integer", minimum: 1, description: "The first line." },
  to: { type: "integer", description: "The last line." },
  ms: { type: "number", description: "How long to sleep." },
};
const input = { type: "object", properties, required: ["text"] };

const makeTool = (name: string, run: ToolDefinition<typeof input>["run"]) =>
  defineTool({
    name,
    description: `The tool ${name}: reads lines of a file, as a tool with a description of usual length says.`,
    input,
    run,
  });

const tools = [
  makeTool("echo", ({ text }) => text),
  makeTool("sleep", async ({ text, ms }) => {
    await new Promise((resolve) => setTimeout(resolve, Number(ms)));
    return text;
  }),
  ...Array.from({ length: Number(process.argv[3] ?? 20) - 2 }, (_, index) => makeTool(`tool_${index}`, ({ text }) => text)),
];

const session = createIPCSession(tools, { directory: argument() });
await session.start();
serveUntilInputEnds(`${session.socketPath} ${session.schemaPath}`, () => session.stop());
