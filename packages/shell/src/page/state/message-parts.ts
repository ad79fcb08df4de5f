// What one event of a turn changes in the answer that it belongs to. Times are the runtime's own, so that an event that
// comes again after a lost connection changes it in the same way.

import type { TurnEvent } from "@hawser/agent/host/link";
import type { ConversationMessage, MessagePart } from "@hawser/protocol";
import type { AskingTool, Failure, Message, Part, Permission, ToolPart } from "./page-state.ts";

export function addToAnswer(message: Message, event: TurnEvent): Message {
  switch (event.type) {
    case "token":
      return { ...message, parts: addText(message.parts, event.token) };
    case "tool_use": {
      const { toolId, toolName, input } = event.data;
      return changeTool(message, { toolId, toolName, input }, { input, startedAt: event.timestamp });
    }
    case "permission_request": {
      const { permissionId, reason, input, replaces } = event.data;
      return changeTool(message, event.data, { permission: { permissionId, reason, input, ...(replaces !== undefined && { replaces }) } });
    }
    case "tool_result": {
      const { result, isError, error } = event.data;
      const state = isError ? ("failed" as const) : ("done" as const);
      return changeTool(message, { ...event.data, input: null }, { result, error, state, endedAt: event.timestamp });
    }
    case "progress": {
      const { toolId, ...progress } = event.data;
      const tool = findTool(message.parts, toolId);
      if (!tool) return message;
      // A tool that makes progress is not waiting for an answer any more.
      return changeTool(message, tool, { progress, ...(tool.permission && { permission: { decision: "expired", ...tool.permission } }) });
    }
    case "usage":
      return { ...message, model: event.data.model };
    case "reasoning":
    case "plan":
      return message;
    default:
      // `done`
      return { ...message, state: "ended", messageId: event.data?.assistantMessageId ?? message.messageId };
  }
}

function addText(parts: readonly Part[], text: string): readonly Part[] {
  const last = parts.at(-1);
  // A tool's card separates what was said before and after it; a blank line would only add a gap.
  if (last?.kind === "tool") {
    const said = text.replace(/^[\r\n]+/, "");
    return said === "" ? parts : [...parts, { kind: "text", text: said }];
  }
  if (last?.kind !== "text") return [...parts, { kind: "text", text }];
  return [...parts.slice(0, -1), { kind: "text", text: last.text + text }];
}

type Call = Pick<ToolPart, "toolId" | "toolName" | "input">;

function changeTool(message: Message, { toolId, toolName, input }: Call, change: Partial<ToolPart>): Message {
  const { parts } = message;
  const known = findTool(parts, toolId);
  const tool: ToolPart = { kind: "tool", toolId, toolName, input, state: "running", ...known, ...change };
  return { ...message, parts: known ? parts.with(parts.lastIndexOf(known), tool) : [...parts, tool] };
}

export const findTool = (parts: readonly Part[], toolId: string | undefined): ToolPart | undefined =>
  parts.findLast((part): part is ToolPart => part.kind === "tool" && part.toolId === toolId);

/** No tool runs on when its turn has ended. */
export function failAnswer(message: Message, failure: Failure): Message {
  const parts = message.parts.map((part) =>
    part.kind === "tool" && part.state === "running" ? { ...part, state: "failed" as const, error: failure.text } : part,
  );
  return { ...message, parts, state: "ended", failure };
}

const isAbout = (part: Part, permissionId: string): part is AskingTool =>
  part.kind === "tool" && part.permission?.permissionId === permissionId;

export const asksFor = ({ parts }: Message, permissionId: string): boolean => parts.some((part) => isAbout(part, permissionId));

export function changePermission(message: Message, permissionId: string, decision: NonNullable<Permission["decision"]>): Message {
  const parts = message.parts.map((part) =>
    isAbout(part, permissionId) ? { ...part, permission: { ...part.permission, decision } } : part,
  );
  return { ...message, parts };
}

/** A message of the history as it is shown: a use of a tool and its result are one part. */
export function fromHistory(message: ConversationMessage): Message {
  const { messageId, role, timestamp, requestId, model, interrupted } = message;
  const shown: Message = {
    key: requestId === undefined ? messageId : keyOf(role, requestId),
    role,
    parts: [],
    at: timestamp,
    state: "ended",
    messageId,
    requestId,
    model,
    failure: interrupted === undefined ? undefined : { text: interrupted },
  };
  return message.parts.reduce(addHistoryPart, shown);
}

export const keyOf = (role: Message["role"], requestId: string): string => `${role}:${requestId}`;

function addHistoryPart(message: Message, part: MessagePart): Message {
  if (part.type === "text") return { ...message, parts: addText(message.parts, part.text) };
  if (part.type === "attachment")
    return { ...message, parts: [...message.parts, { kind: "attachment", path: part.path, mime: part.mime }] };
  if (part.type === "tool_use") return changeTool(message, part, { input: part.input });
  const { result, isError, error } = part;
  return changeTool(message, { ...part, input: null }, { result, error, state: isError ? "failed" : "done" });
}
