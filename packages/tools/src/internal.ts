// What the other packages of Hawser use of this one. Not for users: it may change in any release.

export * from "./index.ts";
export { isTool, toTools } from "./adapt-tool.ts";
export { createToolHost, createToolHosts, type HostedTool, type ToolHost } from "./tool-host.ts";
export { checkSource, findSourceProblem, prepareInput, toJsonSchema, type PreparedInput } from "./tool-input.ts";
