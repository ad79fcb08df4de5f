// What a host offers while its user types: `list_files`, `list_folders`.

import type { FilesData, FoldersData } from "@hawser/protocol";
import type { RequestBody } from "./exchange.ts";
import type { AgentEvent } from "./open-request.ts";
import { theOne } from "./request-answers.ts";

export interface FileMethods {
  /** Files where a conversation works whose path contains this text, the best first. */
  listFiles(conversationId: string, query: string): Promise<FilesData>;
  /** Folders of the runtime's machine whose path begins with this. */
  listFolders(path: string): Promise<FoldersData>;
}

type Ask = (capability: string, body: RequestBody) => Promise<AgentEvent[]>;

export const createFileMethods = (ask: Ask): FileMethods => ({
  async listFiles(conversationId, query) {
    return theOne(await ask("files", { kind: "list_files", conversationId, query }), "files").data;
  },
  async listFolders(path) {
    return theOne(await ask("files", { kind: "list_folders", path }), "folders").data;
  },
});
