// `list_files` and `list_folders`: names for a host to offer while its user types. Bounded, and they read no file.

import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, normalize, sep } from "node:path";
import { HawserError } from "@hawser/protocol";
import { agentLimits } from "../limits.ts";
import type { Answer, ControlOptions } from "./control-requests.ts";
import { checkConversationId } from "./turn-metadata.ts";

interface FileAnswers {
  readonly list_files: Answer<"list_files">;
  readonly list_folders: Answer<"list_folders">;
}

export function createFileAnswers({ parts, conversations }: Pick<ControlOptions, "parts" | "conversations">): FileAnswers {
  return {
    async list_files({ conversationId, query }, reply, signal) {
      checkConversationId(conversationId);
      checkText(query, "query");
      const { files, isCut } = await conversations.use(conversationId, (conversation) =>
        parts.workspaces.use(conversation, async ({ findFiles }) => findFiles?.(query, signal) ?? { files: [], isCut: false }),
      );
      await reply.emit({ type: "files", data: { conversationId, files: [...files], ...(isCut && { truncated: true }) } });
      await reply.done();
    },
    async list_folders({ path }, reply) {
      checkText(path, "path");
      const { folders, isCut } = await foldersAt(path);
      await reply.emit({ type: "folders", data: { folders, ...(isCut && { truncated: true }) } });
      await reply.done();
    },
  };
}

function checkText(text: string, name: string): void {
  if (Buffer.byteLength(text) > agentLimits.maxPathBytes || text.includes("\0"))
    throw new HawserError("invalid_message", `"${name}" is longer than ${agentLimits.maxPathBytes} bytes, or holds a zero`);
}

/** What is typed may not be a path yet: then there is nothing. */
async function foldersAt(typed: string): Promise<{ readonly folders: string[]; readonly isCut: boolean }> {
  const path = typed === "~" || typed.startsWith("~/") ? join(homedir(), typed.slice(1)) + (typed.endsWith("/") ? sep : "") : typed;
  if (!isAbsolute(path)) return { folders: [], isCut: false };
  const above = path.endsWith(sep) ? normalize(path) : dirname(path);
  const begin = path.endsWith(sep) ? "" : path.slice(path.lastIndexOf(sep) + 1).toLowerCase();
  const folders: string[] = [];
  let left = agentLimits.walkedEntries;
  let isCut = false;
  try {
    for await (const entry of await opendir(above)) {
      isCut = left-- <= 0 || folders.length >= agentLimits.foundFileEntries;
      if (isCut) break;
      if (isOffered(entry, begin)) folders.push(join(above, entry.name));
    }
  } catch {
    // It is not there, or not for us to read.
    return { folders: [], isCut: false };
  }
  return { folders: folders.sort(), isCut };
}

/** Hidden ones only where a dot is typed. */
const isOffered = (entry: Dirent, begin: string): boolean =>
  entry.isDirectory() && entry.name.toLowerCase().startsWith(begin) && (begin !== "" || !entry.name.startsWith("."));
