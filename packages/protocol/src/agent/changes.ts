// The capability `changes`: what the turns of a conversation have changed in files, and how that is taken back.

import * as v from "valibot";
import { described, flag, number, text, texts } from "../described.ts";
import { answer, conversationId, example, requestId as id } from "./envelope.ts";

const path = text(
  "Relative to the first folder, else absolute; a folder's ends with `/`. A name that is not UTF-8 stands in double quotes, with its bytes as `\\351`.",
);

export const changeRequests = {
  list_changes: {
    summary:
      "Additive. Which files the turns of a conversation have changed in its folders, by whatever they used: tools, commands, MCP servers, agents. Reverts are listed too, under the ids of their requests. Answered with one `changes`, then `done`.",
    schema: v.object({
      id,
      kind: v.literal("list_changes"),
      conversationId,
      requestId: v.exactOptional(text("Only what this request has changed.")),
      diff: v.exactOptional(flag("With a unified diff of each text file.")),
    }),
    examples: [
      { id: "req-uuid-150", kind: "list_changes", conversationId: "conv-456" },
      { id: "req-uuid-151", kind: "list_changes", conversationId: "conv-456", requestId: "req-uuid-123", diff: true },
    ],
  },
  revert_changes: {
    summary:
      "Additive. Gives files back the content, the mode and the existence that they had before. A file that was changed again since is a conflict and stays as it is. The revert is itself a change under the id of this request, and can be reverted. Answered with one `reverted`, then `done`; with `error` while a turn of the conversation runs.",
    schema: v.object({
      id,
      kind: v.literal("revert_changes"),
      conversationId,
      requestId: v.exactOptional(
        text("Only what this request has changed, which may be an earlier revert. Without it all turns, but no reverts."),
      ),
      paths: v.exactOptional(texts("Only these files, and what lies in these folders.")),
    }),
    examples: [
      { id: "req-uuid-152", kind: "revert_changes", conversationId: "conv-456", requestId: "req-uuid-123" },
      { id: "req-uuid-153", kind: "revert_changes", conversationId: "conv-456", paths: ["src/index.ts"] },
    ],
  },
} as const;

const fileChange = v.object({
  path,
  change: v.picklist(["created", "modified", "deleted"]),
  requestId: text("The request that has changed it."),
  additions: number("Lines that came; 0 for what is not text."),
  deletions: number("Lines that went."),
  diff: v.exactOptional(text("Where it was asked for, and both sides are text that is kept.")),
  binary: v.exactOptional(flag("It is not text, so there is no diff.")),
  reverted: v.exactOptional(flag("It was taken back, and is not in force.")),
  revert: v.exactOptional(flag("It is itself a revert.")),
  undoes: v.exactOptional(
    described(v.array(v.string()), "Of a revert: the requests whose changes of this file it took back; they may be reverts, too."),
  ),
  note: v.exactOptional(text("Why it can't be reverted, or can't be shown, for people.")),
});

const reason = text("Why, for people.");

export const changeResponses = {
  changes: {
    summary: "Additive. What was changed, in the order of the turns.",
    schema: v.object({
      ...answer("changes"),
      data: v.object({
        changes: v.array(fileChange),
        untracked: v.exactOptional(
          described(v.array(v.object({ path, reason })), "Files and folders whose changes are not seen, or whose content is not kept."),
        ),
        leftOut: v.exactOptional(
          number("Changes and diffs for which the answer had no room, the earliest; ask for one request at a time."),
        ),
      }),
    }),
    examples: [
      example("changes", 151, 7, {
        data: {
          changes: [
            {
              path: "notes.txt",
              change: "modified",
              requestId: "req-uuid-123",
              additions: 1,
              deletions: 1,
              diff: "--- a/notes.txt\n+++ b/notes.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n",
            },
          ],
          untracked: [{ path: "node_modules/", reason: "such folders are never looked into" }],
        },
      }),
    ],
  },
  reverted: {
    summary: "Additive. What was taken back, and what was left as it is.",
    schema: v.object({
      ...answer("reverted"),
      data: v.object({
        reverted: described(v.array(path), "They are as they were before."),
        conflicts: described(v.array(v.object({ path, reason })), "They were not touched."),
      }),
    }),
    examples: [
      example("reverted", 152, 7, {
        data: {
          reverted: ["notes.txt"],
          conflicts: [{ path: "src/index.ts", reason: "it was changed again since the request req-uuid-123" }],
        },
      }),
    ],
  },
} as const;

export type FileChange = v.InferOutput<typeof fileChange>;
export type ChangesData = v.InferOutput<typeof changeResponses.changes.schema>["data"];
export type RevertedData = v.InferOutput<typeof changeResponses.reverted.schema>["data"];
