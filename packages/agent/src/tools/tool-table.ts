// The names of the tools that the agent itself knows something about, and what that is: the permissions read it here, and the
// offline model the names. A tool that isn't in this table is known by its own definition only.

export const toolNames = {
  listFiles: "list_files",
  readFile: "read_file",
  writeFile: "write_file",
  editFile: "edit_file",
  searchFiles: "search_files",
  runCommand: "run_command",
  /** Of a gateway. */
  callOperation: "call_operation",
} as const;

interface ToolFacts {
  /** What "always allow" covers: the same file, the same command with the same arguments, the same operation. */
  readonly actsOn: "file" | "command" | "operation";
  /** What a call without a `path` is about. */
  readonly defaultPath?: string;
  /** Files that it finds below its path are opened, so they are judged also as this tool would be. */
  readonly opensLike?: string;
  /** It may replace a file, which the question says. */
  readonly mayReplace?: true;
}

const facts: Readonly<Record<string, ToolFacts>> = {
  [toolNames.listFiles]: { actsOn: "file", defaultPath: "." },
  [toolNames.readFile]: { actsOn: "file" },
  [toolNames.writeFile]: { actsOn: "file", mayReplace: true },
  [toolNames.editFile]: { actsOn: "file" },
  [toolNames.searchFiles]: { actsOn: "file", defaultPath: ".", opensLike: toolNames.readFile },
  [toolNames.runCommand]: { actsOn: "command" },
  [toolNames.callOperation]: { actsOn: "operation" },
};

export const factsOf = (toolName: string): Partial<ToolFacts> => (Object.hasOwn(facts, toolName) ? facts[toolName] : undefined) ?? {};
