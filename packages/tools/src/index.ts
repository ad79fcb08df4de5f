// Tools: how they are defined, taken from other libraries, and called by name.

// Refuses an old Node, before something that it lacks is used.
import "@hawser/protocol";

export type { ToolSource } from "./adapt-tool.ts";
export * from "./define-tool.ts";
