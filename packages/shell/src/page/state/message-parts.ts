// What one event of a turn changes in the answer that it belongs to. Times are the runtime's own, so that an event that
// comes again after a lost connection changes it in the same way.

import type { TurnEvent } from "@hawser/agent/host/link";
import type { ConversationMessage, MessagePart } from "@hawser/protocol";
import type { AboutUse, AskingTool, Failure, Message, Part, Permission, ToolPart } from "./page-state.ts";

export function addToAnswer(message: Message, event: TurnEvent): Message {
  switch (event.type) {
    case "token":
      return { ...message, parts: addText(message.parts, event.token) };
    case "tool_use": {
      const { toolId, toolName, input } = event.data;
      return changeTool(message, { toolId, toolName, input }, { ...aboutOf(event.data), input });
    }
    case "permission_request": {
      const { permissionId, reason, input, replaces, options } = event.data;
      const asked = { permissionId, reason, input, ...(replaces !== undefined && { replaces }), ...(options && { options }) };
      return changeTool(message, event.data, { permission: { ...asked, ...aboutOf(event.data) } });
    }
    case "tool_result": {
      const { result, isError, error, durationMs } = event.data;
      const state = isError ? ("failed" as const) : ("done" as const);
      return changeTool(message, { ...event.data, input: null }, { ...aboutOf(event.data), result, error, state, durationMs });
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
      return { ...message, parts: addThought(message.parts, event.data.text, event.timestamp) };
    case "plan":
      return { ...message, parts: putPlan(message.parts, { kind: "plan", entries: event.data.entries }) };
    case "steered":
      return { ...message, parts: addSteer(message.parts, event.data) };
    case "compaction": {
      const { messages, tokensBefore, tokensAfter } = event.data;
      return { ...message, parts: [...message.parts, { kind: "summary", messages, tokensBefore, tokensAfter }] };
    }
    default:
      // `done`
      return { ...message, state: "ended", messageId: event.data?.assistantMessageId ?? message.messageId };
  }
}

interface SaidAbout extends Omit<AboutUse, "toolKind"> {
  readonly kind?: string | undefined;
}

/** Only what is said: a result says nothing of the title that its use had. */
function aboutOf({ title, kind, locations, diffs }: SaidAbout): AboutUse {
  return {
    ...(title !== undefined && { title }),
    ...(kind !== undefined && { toolKind: kind }),
    ...(locations && { locations }),
    ...(diffs && { diffs }),
  };
}

function addThought(parts: readonly Part[], text: string, at: number): readonly Part[] {
  const last = parts.at(-1);
  if (last?.kind !== "thought") return [...parts, { kind: "thought", text, startedAt: at, endedAt: at }];
  return [...parts.slice(0, -1), { ...last, text: last.text + text, endedAt: at }];
}

const addSteer = (
  parts: readonly Part[],
  { steerId, message }: { readonly steerId: string; readonly message: string },
): readonly Part[] => [...parts, { kind: "steer", steerId, text: message }];

/** Where the first one stood. */
function putPlan(parts: readonly Part[], plan: Part): readonly Part[] {
  const at = parts.findIndex(({ kind }) => kind === "plan");
  return at < 0 ? [...parts, plan] : parts.with(at, plan);
}

function addText(parts: readonly Part[], text: string): readonly Part[] {
  const last = parts.at(-1);
  // What is drawn as a block of its own separates what was said before and after it; a blank line would only add a gap.
  if (last && last.kind !== "text") {
    const said = text.replace(/^[\r\n]+/, "");
    return said === "" ? parts : [...parts, { kind: "text", text: said }];
  }
  return last ? [...parts.slice(0, -1), { kind: "text", text: last.text + text }] : [{ kind: "text", text }];
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

/** No tool runs on when its turn has ended; why is said once, for the whole answer. */
export function failAnswer(message: Message, failure: Failure): Message {
  const parts = message.parts.map((part) =>
    part.kind === "tool" && part.state === "running" ? { ...part, state: "failed" as const } : part,
  );
  return { ...message, parts, state: "ended", failure };
}

const isAbout = (part: Part, permissionId: string): part is AskingTool =>
  part.kind === "tool" && part.permission?.permissionId === permissionId;

export const asksFor = ({ parts }: Message, permissionId: string): boolean => parts.some((part) => isAbout(part, permissionId));

/** Without a decision the question is open again. */
export type Answer = { readonly decision: Permission["decision"] } & Pick<Permission, "optionId" | "isFromElsewhere">;

export function changePermission(message: Message, permissionId: string, answer: Answer): Message {
  const parts = message.parts.map((part) =>
    isAbout(part, permissionId) ? { ...part, permission: withAnswer(part.permission, answer) } : part,
  );
  return { ...message, parts };
}

/** The runtime takes the first answer. One that came too late on this page does not hide what was decided on another one. */
function withAnswer(asked: Permission, { decision, optionId, isFromElsewhere }: Answer): Permission {
  if (asked.isFromElsewhere) return asked;
  const { optionId: _, ...permission } = asked;
  return { ...permission, decision, ...(optionId !== undefined && { optionId }), ...(isFromElsewhere && { isFromElsewhere }) };
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
  if (part.type === "tool_use") return changeTool(message, part, { ...aboutOf(part), input: part.input });
  if (part.type === "steer") return { ...message, parts: addSteer(message.parts, part) };
  if (part.type === "summary") {
    const { text, messages, tokensBefore, tokensAfter } = part;
    return { ...message, parts: [...message.parts, { kind: "summary", text, messages, tokensBefore, tokensAfter }] };
  }
  // The others are not asked for.
  if (part.type !== "tool_result") return message;
  const { result, isError, error } = part;
  return changeTool(message, { ...part, input: null }, { ...aboutOf(part), result, error, state: isError ? "failed" : "done" });
}
