// Which commands have a code cache of their own: what they use differs much. All other words share one.

/** They serve their input: a run without any has used little of what the next one will need. */
export const servingCommands: readonly string[] = ["acp", "agent", "bridge", "echo", "rpc"];

export const cachedCommands: readonly string[] = [
  ...servingCommands,
  "api",
  "call",
  "chat",
  "completion",
  "config",
  "conform",
  "doctor",
  "expose",
  "gateway",
  "shell",
  "tour",
];
