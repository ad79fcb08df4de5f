// The requests of the agent protocol: the contract's three, and the additions.

import * as v from "valibot";
import type { DirectionDefinition } from "../define-protocol.ts";
import { changeRequests } from "./changes.ts";
import { described, jsonObject, text, texts } from "../described.ts";
import { contextRequests } from "./context.ts";
import { conversationId, requestId as id } from "./envelope.ts";
import { fileRequests } from "./files.ts";
import { forkRequests } from "./fork.ts";
import { searchRequests } from "./search.ts";
import { settingsRequests } from "./settings.ts";
import { steerRequests } from "./steer.ts";

const metadata = v.exactOptional(
  jsonObject(
    "Known members: `conversationId` (absent in a message: the default conversation), `userId`, `model`, `force`, and `answersPermissions`: true from a host that answers questions, which then wait for the user longer than 45 seconds. Of a `user_message` also `effort` (how much the model is to think: `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`) and `budget` (`{tokens, usd, ms}`, each a number: what the turn may use). Others are ignored.",
  ),
);
const optionsModel = v.exactOptional(text("Whose options; of the one that would answer the next message unless given."));

export const agentRequests = {
  tag: "kind",
  messages: {
    user_message: {
      summary: "Says something to the agent.",
      schema: v.object({
        id,
        kind: v.literal("user_message"),
        message: text("What the user says."),
        attachments: v.exactOptional(
          described(
            v.array(v.object({ path: text("A file inside the allowed roots."), mime: text("What it is.") })),
            "Files for the agent to see: images and text.",
          ),
        ),
        metadata,
      }),
      examples: [
        { id: "req-uuid-123", kind: "user_message", message: "Hello, can you help me?" },
        {
          id: "req-uuid-126",
          kind: "user_message",
          message: "What is in this file?",
          attachments: [{ path: "/path/to/file.txt", mime: "text/plain" }],
          metadata: { conversationId: "conv-456", userId: "user-789" },
        },
      ],
    },
    clear_history: {
      summary:
        "Empties a conversation: the one that `metadata.conversationId` names, else that of the last accepted `user_message` on this connection, else the default one. Answered with `done`; with `error` while a turn of it runs, unless `metadata.force` ends that turn.",
      schema: v.object({ id, kind: v.literal("clear_history"), metadata }),
      examples: [{ id: "req-uuid-124", kind: "clear_history" }],
    },
    get_status: {
      summary:
        "Asks how the agent is. Answered at once, also while turns run. Which conversation is counted is decided as for `clear_history`.",
      schema: v.object({ id, kind: v.literal("get_status"), metadata }),
      examples: [{ id: "req-uuid-125", kind: "get_status" }],
    },
    cancel: {
      summary:
        "Additive. Ends the request `target` with one `error`, and itself with `done`. A target that is not in flight is not an error.",
      schema: v.object({ id, kind: v.literal("cancel"), target: text("The id of what to end.") }),
      examples: [{ id: "req-uuid-127", kind: "cancel", target: "req-uuid-123" }],
    },
    permission_response: {
      summary: "Additive. Answers a `permission_request`. Ends with `done`, or with `error` when the permission is unknown or has expired.",
      schema: v.object({
        id,
        kind: v.literal("permission_response"),
        permissionId: text("From the `permission_request`."),
        decision: described(
          v.picklist(["allow", "allow_always", "deny"]),
          "`allow_always` also answers later calls of the same kind in this conversation.",
        ),
        optionId: v.exactOptional(
          text(
            "One of the `options` of the question, where it has some; `decision` says the same of it: `allow` for `allow_once`, `allow_always`, or `deny`. Without it, the first option that `decision` fits is meant.",
          ),
        ),
        via: v.exactOptional(
          text(
            "How the user answered, for the audit log: `click`, `key` (on a button that has the focus), `shortcut` or `word`. Anything else, or nothing, is noted as `host`. For a runtime with the capability `permission_via`.",
          ),
        ),
      }),
      examples: [
        { id: "req-uuid-128", kind: "permission_response", permissionId: "perm-1", decision: "allow" },
        { id: "req-uuid-136", kind: "permission_response", permissionId: "perm-2", decision: "deny", via: "click" },
      ],
    },
    list_conversations: {
      summary: "Additive. Answered with one `conversations`, then `done`.",
      schema: v.object({ id, kind: v.literal("list_conversations") }),
      examples: [{ id: "req-uuid-129", kind: "list_conversations" }],
    },
    load_conversation: {
      summary: "Additive. Answered with one or more `conversation`, then `done`.",
      schema: v.object({
        id,
        kind: v.literal("load_conversation"),
        conversationId,
        after: v.exactOptional(text("Only messages after this `messageId`.")),
        include: v.exactOptional(
          texts(
            "Kinds of parts that a host of the first form does not know, and is not sent unless it names them: `steer`, `reasoning`, `plan`, `summary`. Others are ignored.",
          ),
        ),
      }),
      examples: [
        { id: "req-uuid-130", kind: "load_conversation", conversationId: "conv-456" },
        { id: "req-uuid-145", kind: "load_conversation", conversationId: "conv-456", after: "m2", include: ["steer", "summary"] },
      ],
    },
    delete_conversation: {
      summary: "Additive. Removes a conversation and its file. Answered with `done`; with `error` while a turn of it runs.",
      schema: v.object({ id, kind: v.literal("delete_conversation"), conversationId }),
      examples: [{ id: "req-uuid-131", kind: "delete_conversation", conversationId: "conv-456" }],
    },
    rename_conversation: {
      summary: "Additive. Gives a conversation a title. Answered with `done`.",
      schema: v.object({ id, kind: v.literal("rename_conversation"), conversationId, title: text("The new title.") }),
      examples: [{ id: "req-uuid-132", kind: "rename_conversation", conversationId: "conv-456", title: "Harbour plans" }],
    },
    truncate_conversation: {
      summary: "Additive. Removes the messages after one, for edit and resend. Answered with `done`; with `error` while a turn of it runs.",
      schema: v.object({
        id,
        kind: v.literal("truncate_conversation"),
        conversationId,
        after: described(v.nullable(v.string()), "The last `messageId` that stays; `null` for none."),
      }),
      examples: [{ id: "req-uuid-133", kind: "truncate_conversation", conversationId: "conv-456", after: "m2" }],
    },
    ...contextRequests,
    list_models: {
      summary: "Additive. Answered with one `models`, then `done`.",
      schema: v.object({ id, kind: v.literal("list_models") }),
      examples: [{ id: "req-uuid-134", kind: "list_models" }],
    },
    set_workspace: {
      summary:
        "Additive. Says in which folders a conversation works; without it, in those of the runtime. What a folder brings along (`.hawser/agent.json`: rules, MCP servers, tools, instructions) counts once its user has trusted it, which is asked by a `permission_request` under this id; denied, the conversation works there without it. It waits for turns that were sent before it, and counts for those that are sent after it. Answered with `done`; with `error` for a folder that can't be used.",
      schema: v.object({
        id,
        kind: v.literal("set_workspace"),
        conversationId,
        folders: described(v.array(v.string()), "Absolute paths; relative paths of tools begin at the first one."),
        mcpServers: v.exactOptional(
          jsonObject(
            "MCP servers of this conversation alone, as in the configuration. They are not kept in the history: a host says them again.",
          ),
        ),
      }),
      examples: [{ id: "req-uuid-139", kind: "set_workspace", conversationId: "conv-456", folders: ["/home/ada/harbour"] }],
    },
    list_options: {
      summary:
        "Additive. What can be chosen about the agent of a conversation: its model, mode and the like, as the agent itself offers them. Answered with one `options`, then `done`.",
      schema: v.object({ id, kind: v.literal("list_options"), conversationId, model: optionsModel }),
      examples: [{ id: "req-uuid-137", kind: "list_options", conversationId: "conv-456", model: "acp/codex" }],
    },
    set_option: {
      summary:
        "Additive. Chooses a value. Answered with one `options`, since one choice may change what else there is, then `done`; with `error` for an option or value that is not listed, and while a turn of the conversation runs.",
      schema: v.object({
        id,
        kind: v.literal("set_option"),
        conversationId,
        optionId: text("From `options`."),
        value: described(v.union([v.string(), v.boolean()]), "One of its values; true or false where it has none."),
        model: optionsModel,
      }),
      examples: [{ id: "req-uuid-138", kind: "set_option", conversationId: "conv-456", optionId: "mode", value: "plan" }],
    },
    subscribe: {
      summary:
        "Additive. Sends again what the running turn of a conversation has sent with a `seq` above `since`, under the turn's own id; then `done`. What comes later arrives by itself.",
      schema: v.object({
        id,
        kind: v.literal("subscribe"),
        conversationId,
        since: v.exactOptional(v.pipe(v.number(), v.minValue(0), v.description("The last `seq` that arrived; 0 unless given."))),
      }),
      examples: [{ id: "req-uuid-135", kind: "subscribe", conversationId: "conv-456", since: 12 }],
    },
    ...changeRequests,
    ...steerRequests,
    ...forkRequests,
    ...searchRequests,
    ...fileRequests,
    ...settingsRequests,
  },
} as const satisfies DirectionDefinition;
