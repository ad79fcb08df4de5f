// What can be typed behind a slash, and does something on the page: one table, which is both what works and what the composer
// offers. Any other text behind a slash goes to the agent as it is, which may have commands of its own.

import type { PageParts } from "../session/page-context.ts";
import { download, fileNameOf, toMarkdown } from "../session/export-markdown.ts";
import { summarizeInput } from "../tools/describe-call.ts";
import { clickOn, type Switches } from "./keys.tsx";

export interface PageCommand {
  readonly name: string;
  readonly meaning: string;
  /** What the runtime must be able to do. */
  readonly needs?: string;
  run(parts: PageParts, switches: Switches): void;
}

const pageCommands: readonly PageCommand[] = [
  { name: "new", meaning: "Begin a conversation in this folder", run: ({ actions }) => actions.begin() },
  { name: "folder", meaning: "Choose the folder to work in", needs: "workspaces", run: (_, { folder }) => folder() },
  { name: "model", meaning: "Choose a model or an agent", run: () => clickOn("model-picker") },
  { name: "changes", meaning: "What was changed in files, and how to take it back", needs: "changes", run: (_, { changes }) => changes() },
  { name: "compact", meaning: "Make room in the model's context", needs: "compaction", run: ({ actions }) => void actions.compact() },
  { name: "fork", meaning: "Begin a conversation as this one did", needs: "fork", run: ({ actions }) => void actions.fork() },
  { name: "instructions", meaning: "What the agent is told", needs: "instructions", run: (_, { setting }) => setting() },
  { name: "settings", meaning: "Keys, models, MCP servers, rules", needs: "settings", run: (_, { settings }) => settings?.() },
  { name: "export", meaning: "Save the conversation as Markdown", run: saveAsMarkdown },
  { name: "wire", meaning: "Show or hide the wire view", run: (_, { wire }) => wire() },
  { name: "theme", meaning: "Light, dark, or as the system", run: (_, { theme }) => theme() },
  { name: "keys", meaning: "List the keys of the page", run: (_, { keys }) => keys() },
];

/** Those that the runtime can do. */
export const commandsFor = (capabilities: readonly string[]): readonly PageCommand[] =>
  pageCommands.filter(({ needs }) => needs === undefined || capabilities.includes(needs));

export function saveAsMarkdown({ session }: PageParts): void {
  const { threads, currentId } = session.store.getState();
  const thread = threads[currentId];
  if (!thread || thread.messages.length === 0) return session.notify("There is nothing to save yet.");
  const text = toMarkdown(thread, ({ toolName, title, input }) => `${toolName} ${title ?? summarizeInput(input)}`);
  download(fileNameOf(thread.title), "text/markdown", text);
}
