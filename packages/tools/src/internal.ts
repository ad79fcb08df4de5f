// Everything that the packages of Hawser use of this one. Not for users: what is here and not in the public entry may change
// in any release.

export * from "./index.ts";
export { isTool, toTools } from "./adapt-tool.ts";
export { createToolHost, createToolHosts, type HostedTool, type ToolHost } from "./tool-host.ts";
export { checkNumbers, prepareInput, toJsonSchema, type PreparedInput } from "./tool-input.ts";
