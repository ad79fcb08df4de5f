// The names of the tools that the agent itself knows something about, and what that is: the permissions read it here, and the
// offline model the names. A tool that isn't in this table is known by its own definition only.

export const toolNames = {
  listFiles: "list_files",
  readFile: "read_file",
  writeFile: "write_file",
  editFile: "edit_file",
  searchFiles: "search_files",
  runCommand: "run_command",
  readSkill: "read_skill",
  updatePlan: "update_plan",
  /** Of a gateway. */
  callOperation: "call_operation",
} as const;

/** As the Agent Client Protocol sorts tools. */
type ToolKind = "read" | "edit" | "search" | "execute" | "fetch" | "think" | "other";

interface ToolFacts {
  readonly kind: ToolKind;
  /** What "always allow" covers: the same file, the same command with the same arguments, the same operation. */
  readonly actsOn?: "file" | "command" | "operation";
  /** What a call without a `path` is about. */
  readonly defaultPath?: string;
  /** Files that it finds below its path are opened, so they are judged also as this tool would be. */
  readonly opensLike?: string;
  /** It may replace a file, which the question says. */
  readonly mayReplace?: true;
}

const facts: Readonly<Record<string, ToolFacts>> = {
  [toolNames.listFiles]: { kind: "search", actsOn: "file", defaultPath: "." },
  [toolNames.readFile]: { kind: "read", actsOn: "file" },
  [toolNames.writeFile]: { kind: "edit", actsOn: "file", mayReplace: true },
  [toolNames.editFile]: { kind: "edit", actsOn: "file" },
  [toolNames.searchFiles]: { kind: "search", actsOn: "file", defaultPath: ".", opensLike: toolNames.readFile },
  [toolNames.runCommand]: { kind: "execute", actsOn: "command" },
  [toolNames.readSkill]: { kind: "read" },
  [toolNames.updatePlan]: { kind: "think" },
  [toolNames.callOperation]: { kind: "fetch", actsOn: "operation" },
};

export const toolKindOf = (toolName: string): ToolKind => factsOf(toolName).kind ?? "other";

export const factsOf = (toolName: string): Partial<ToolFacts> => (Object.hasOwn(facts, toolName) ? facts[toolName] : undefined) ?? {};
