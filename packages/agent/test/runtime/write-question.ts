// A tool that is asked about before it runs, and a model that uses it once.

import type { Tool } from "@hawser/tools";
import { toolResultsIn, type Script } from "./stage.ts";

export const write: Tool = { name: "write_file", description: "", input: { type: "object" }, run: () => "written" };
export const asking = () => ({ decision: "ask", reason: "it changes files" }) as const;

/** Uses the tool once, then says how that went. */
export const writing: Script = (step) => {
  const [result] = toolResultsIn(step);
  if (result) return [{ type: "text", text: result.error ?? String(result.result) }];
  return [{ type: "tool_call", toolId: "w1", toolName: "write_file", input: { path: "a.txt", content: "x" } }];
};
