// Every bound of the command line: one name, one default, one reason. Names end in their unit. `docs/limits.md`
// is generated from this file: the comment above a number is its reason there.

export const hawserLimits = {
  /** Body or token that a command reads from stdin or a file. */
  maxCommandInputBytes: 10_485_760,
  /** How long the first turn waits for the tools of MCP servers, modules and APIs. */
  agentLateToolsMs: 10_000,
  /** Workspaces of other folders that stay, with the MCP servers of their own, while no turn uses them. */
  agentWorkspaceEntries: 16,
  /** Conversations of which is known in which of those folders they worked last. */
  agentUsedFolderEntries: 256,
  /** How long the file that leads a browser to the page waits to be used. */
  shellOpenMs: 60_000,
};
