// What a host offers while its user types: `list_files`, `list_folders`.

import type { FilesData, FoldersData } from "@hawser/protocol";
import type { AskOne } from "./request-answers.ts";

export interface FileMethods {
  /** Files where a conversation works whose path contains this text, the best first. */
  listFiles(conversationId: string, query: string): Promise<FilesData>;
  /** Folders of the runtime's machine whose path begins with this. */
  listFolders(path: string): Promise<FoldersData>;
}

export const createFileMethods = (askOne: AskOne): FileMethods => ({
  async listFiles(conversationId, query) {
    return (await askOne("files", { kind: "list_files", conversationId, query }, "files")).data;
  },
  async listFolders(path) {
    return (await askOne("files", { kind: "list_folders", path }, "folders")).data;
  },
});
