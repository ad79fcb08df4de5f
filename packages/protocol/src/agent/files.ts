// The capability `files`: names for a host to offer while its user types, of files in the folders of a conversation and of folders to
// work in. Names only: content is read by tools and attachments, under their rules.

import * as v from "valibot";
import { described, flag } from "../described.ts";
import { answer, conversationId, example, requestId as id } from "./envelope.ts";

const isCut = v.exactOptional(flag("There are more, or not everything was looked at."));

export const fileRequests = {
  list_files: {
    summary:
      "Additive. Files and folders where a conversation works whose path contains a text, regardless of case; those whose name begins with it come first. What the rules deny to `list_files` is left out, and so is what is in `.git` and `node_modules`. Answered with one `files`, then `done`.",
    schema: v.object({
      id,
      kind: v.literal("list_files"),
      conversationId,
      query: described(v.string(), "What is typed so far; empty for what lies at the top."),
    }),
    examples: [{ id: "req-uuid-160", kind: "list_files", conversationId: "conv-456", query: "berth" }],
  },
  list_folders: {
    summary:
      "Additive. Folders of this machine whose path begins with what the user has typed, for `set_workspace`. Answered with one `folders`, then `done`.",
    schema: v.object({
      id,
      kind: v.literal("list_folders"),
      path: described(v.string(), "An absolute path, or one that begins with `~/`; what is behind its last `/` begins the name."),
    }),
    examples: [{ id: "req-uuid-161", kind: "list_folders", path: "/home/ada/har" }],
  },
} as const;

export const fileResponses = {
  files: {
    summary: "Additive. Names of files, the best first.",
    schema: v.object({
      ...answer("files"),
      data: v.object({
        conversationId,
        files: described(v.array(v.string()), "Relative to the first folder; those of folders end with `/`."),
        truncated: isCut,
      }),
    }),
    examples: [example("files", 160, 7, { data: { conversationId: "conv-456", files: ["src/berths.ts", "test/berths.test.ts"] } })],
  },
  folders: {
    summary: "Additive. Folders of this machine, in order.",
    schema: v.object({
      ...answer("folders"),
      data: v.object({ folders: described(v.array(v.string()), "Absolute paths."), truncated: isCut }),
    }),
    examples: [example("folders", 161, 7, { data: { folders: ["/home/ada/harbour", "/home/ada/harmony"] } })],
  },
} as const;

export type FilesData = v.InferOutput<typeof fileResponses.files.schema>["data"];
export type FoldersData = v.InferOutput<typeof fileResponses.folders.schema>["data"];
