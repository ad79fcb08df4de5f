// What is on the screen, as plain data, and everything that can change it. It comes from the agent client's events, from
// the link, and from what the user chose; components only draw it. Nothing is changed in place.

import type { AgentInfo, LoadedConversation, Queue, TurnEvent } from "@hawser/agent/host/link";
import type {
  AnyAgentRequest,
  CompactionData,
  ConversationSummary,
  ModelEntry,
  OptionEntry,
  StatusData,
  UsageData,
} from "@hawser/protocol";
import type { RuntimeState } from "../../link/page-frames.ts";
import type { Failure, Message, Part, Permission, ToolPart } from "./message.ts";

export type * from "./message.ts";

export interface Thread {
  readonly conversationId: string;
  readonly title: string;
  readonly messages: readonly Message[];
  /** `needed`: what is here may be incomplete; the history knows. `failed`: it can't be read, and asking again by itself would not help. */
  readonly load: "needed" | "done" | "failed";
  /** Why it can't be read. */
  readonly loadError?: string | undefined;
  /** Where it works, when it was chosen here; otherwise the list of conversations says it. */
  readonly folder?: string | undefined;
}

export interface Turn {
  readonly id: string;
  readonly conversationId: string;
  readonly state: "running" | "ended";
  /** The last one that was taken in. */
  readonly seq: number;
  /** False when an event is missing: the history is asked at the end. */
  readonly isWhole: boolean;
  readonly isStopping: boolean;
  readonly progress?: string | undefined;
  readonly usage?: UsageData | undefined;
}

/** What can be chosen about the agent that answers a conversation. */
export interface AgentOptions {
  readonly conversationId: string;
  readonly model: string;
  readonly entries: readonly OptionEntry[];
}

export interface PassedLine {
  readonly direction: "sent" | "received" | "other_tab";
  readonly value: unknown;
  readonly chars: number;
  readonly at: number;
}

export interface WireEntry extends PassedLine {
  readonly number: number;
  /** `kind` of a request, `type` of a response. */
  readonly name: string;
  readonly id: string | undefined;
  readonly conversationId: string | undefined;
}

export interface WireLog {
  readonly entries: readonly WireEntry[];
  readonly chars: number;
  readonly dropped: number;
}

/** How the way to the agent is. */
export interface LinkState extends RuntimeState {
  /** `closed`: it reconnects by itself. `ended`: nothing more will come. */
  readonly phase: "connecting" | "open" | "closed" | "ended";
  readonly retryInMs?: number | undefined;
}

/** Whether what a folder brings along may count. */
export interface TrustQuestion {
  readonly permissionId: string;
  readonly folder: string;
  readonly brings: readonly string[];
}

export interface Notice {
  readonly key: string;
  /** It is news, and nothing went wrong. */
  readonly isNews?: boolean;
  readonly text: string;
}

export interface PageState {
  readonly link: LinkState;
  /** `greeting` counts greetings, also those of the same runtime after a lost connection. */
  readonly runtime: { readonly info: AgentInfo; readonly greeting: number } | undefined;
  readonly conversations: readonly ConversationSummary[];
  readonly currentId: string;
  readonly threads: Readonly<Record<string, Thread>>;
  readonly turns: Readonly<Record<string, Turn>>;
  readonly models: readonly ModelEntry[];
  readonly pickedModel: string | undefined;
  readonly agentOptions: AgentOptions | undefined;
  readonly status: (StatusData & { readonly at: number }) | undefined;
  readonly trust: TrustQuestion | undefined;
  /** What waits in a conversation; undefined when nothing runs there, or it isn't known. */
  readonly waiting: ({ readonly conversationId: string } & Queue) | undefined;
  /** The conversation that is being summarised because the user asked for it. */
  readonly compacting: string | undefined;
  /** The message that a search has led to; another object each time. */
  readonly sought: { readonly conversationId: string; readonly messageId: string } | undefined;
  readonly notices: readonly Notice[];
  readonly wire: WireLog;
}

/** Everything that can change the state. Times come with the event: the reducer has no clock. */
export type PageEvent =
  /** A line in any direction, whether this page understands it or not. */
  | ({ readonly type: "line_passed" } & PassedLine)
  | { readonly type: "link"; readonly link: LinkState }
  | { readonly type: "greeted"; readonly info: AgentInfo }
  /** A request was sent, by this tab or by another one. */
  | { readonly type: "asked"; readonly request: AnyAgentRequest; readonly at: number }
  | { readonly type: "turn"; readonly event: TurnEvent }
  | { readonly type: "turn_failed"; readonly id: string; readonly failure: Failure }
  /** The runtime was asked which turn runs. `known`: those that were taken to run and were not followed any more. */
  | { readonly type: "resumed"; readonly conversationId: string; readonly running: string | undefined; readonly known: readonly string[] }
  | { readonly type: "loaded"; readonly conversation: LoadedConversation }
  /** Asking again by itself would not help. Without a reason, the runtime keeps no history. */
  | { readonly type: "load_failed"; readonly conversationId: string; readonly reason?: string | undefined }
  | { readonly type: "load_wanted"; readonly conversationId: string }
  /** It works in another folder from now on. */
  | { readonly type: "moved"; readonly conversationId: string; readonly folder: string }
  | { readonly type: "renamed"; readonly conversationId: string; readonly title: string }
  | { readonly type: "deleted"; readonly conversationId: string }
  | { readonly type: "truncated"; readonly conversationId: string; readonly after: string | null }
  | {
      readonly type: "learned";
      readonly facts: Partial<
        Pick<PageState, "conversations" | "models" | "status" | "pickedModel" | "agentOptions" | "trust" | "waiting" | "compacting">
      >;
    }
  | { readonly type: "opened"; readonly conversationId: string; readonly isNew: boolean; readonly messageId?: string | undefined }
  /** The beginning of a conversation was summarised, at the word of a user. */
  | { readonly type: "compacted"; readonly compaction: CompactionData }
  /** On another page, and the runtime has taken it. */
  | { readonly type: "answered_elsewhere"; readonly answer: Extract<AnyAgentRequest, { kind: "permission_response" }> }
  | { readonly type: "permission_expired"; readonly permissionId: string }
  /** An answer was lost on its way: the question is still open, unless what comes says otherwise. */
  | { readonly type: "permission_reopened"; readonly permissionId: string }
  | { readonly type: "notice"; readonly notice: Notice }
  | { readonly type: "notice_dismissed"; readonly key: string }
  | { readonly type: "wire_cleared" };

export const initialState: PageState = {
  link: { phase: "connecting", runtime: "starting" },
  runtime: undefined,
  conversations: [],
  currentId: "",
  threads: {},
  turns: {},
  models: [],
  pickedModel: undefined,
  agentOptions: undefined,
  status: undefined,
  trust: undefined,
  waiting: undefined,
  compacting: undefined,
  sought: undefined,
  notices: [],
  wire: { entries: [], chars: 0, dropped: 0 },
};

/** A tool that waits for the user's answer. */
export type AskingTool = ToolPart & { readonly permission: Permission };

export const isAsking = (part: Part): part is AskingTool =>
  part.kind === "tool" && part.state === "running" && part.permission !== undefined && part.permission.decision === undefined;

/** The first open question of a conversation; of the one on the screen, the one that a shortcut answers. */
export function openQuestion({ threads, currentId }: PageState, conversationId: string = currentId): AskingTool | undefined {
  const running = threads[conversationId]?.messages.filter(({ state }) => state === "running") ?? [];
  return running.flatMap(({ parts }) => parts).find(isAsking);
}

/** Whether a request would reach the runtime. */
export const isConnected = ({ link, runtime }: PageState): boolean =>
  link.phase === "open" && link.runtime === "running" && runtime !== undefined;

/** Of a conversation, those that run or wait to run. */
export const runningTurnsOf = ({ turns }: PageState, conversationId: string): Turn[] =>
  Object.values(turns).filter((turn) => turn.state === "running" && turn.conversationId === conversationId);

/** The name of the model or agent that answers the next message. */
export const chosenModel = ({ pickedModel, models, runtime }: PageState): string | undefined =>
  pickedModel ?? models.find((entry) => entry.current)?.model ?? runtime?.info.model;

/** Where a conversation works: in a folder of its own, else where the runtime was started. */
export const folderOf = ({ threads, conversations, link }: PageState, conversationId: string): string | undefined =>
  threads[conversationId]?.folder ?? conversations.find((summary) => summary.conversationId === conversationId)?.folder ?? link.root;

/** Of the agent that answers the next message of the conversation on the screen; undefined until they are known. */
export function currentOptions(state: PageState): readonly OptionEntry[] | undefined {
  const { agentOptions, currentId } = state;
  const isCurrent = agentOptions?.conversationId === currentId && agentOptions.model === chosenModel(state);
  return isCurrent ? agentOptions.entries : undefined;
}
