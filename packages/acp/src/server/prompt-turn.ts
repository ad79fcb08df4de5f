// One prompt: the message goes to the runtime, what the turn says comes back as session updates, in order, and its questions
// become permission requests. However it ends, the prompt is answered once.

import {
  methods,
  type AgentContext,
  type PermissionOption,
  type PromptRequest,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { AgentClient, AgentMessage, OnPermission, PermissionAnswer, PermissionRequest } from "@hawser/agent/host/link";
import { optionMeanings, toHawserError } from "@hawser/protocol/internal";
import type { Images } from "./images.ts";
import { toMessage } from "./prompt-content.ts";
import { toRequestError } from "./request-error.ts";
import type { SessionChoices } from "./session-choices.ts";
import { placeSession } from "./session-place.ts";
import type { Session } from "./sessions.ts";
import { toAsked, toUpdate } from "./to-updates.ts";

export interface PromptOptions {
  readonly client: AgentClient;
  readonly editor: AgentContext;
  readonly session: Session;
  readonly prompt: PromptRequest["prompt"];
  readonly images: Images;
  readonly choices: SessionChoices;
  /** `$/cancel_request`, or the end of the connection. */
  readonly signal: AbortSignal;
  /** No answer can come any more. */
  readonly inputEnded: AbortSignal;
}

export async function runPrompt(options: PromptOptions): Promise<PromptResponse> {
  const { client, session } = options;
  const onPermission = toOnPermission(options);
  const cancelling = new AbortController();
  const signal = AbortSignal.any([options.signal, cancelling.signal]);
  session.prompts.add(cancelling);
  let message: AgentMessage | undefined;
  try {
    await placeSession(client, session, { onPermission, signal });
    message = await toMessage(options.prompt, options.images);
    session.isEmpty = false;
    const metadata = { conversationId: session.sessionId, ...(session.model !== undefined && { model: session.model }) };
    for await (const event of client.send({ ...message, metadata }, { onPermission, signal })) {
      const update = toUpdate(event, session.cwd);
      if (update) await notify(options, update);
    }
    await tellTitle(options);
    await tellOptions(options);
    return { stopReason: "end_turn" };
  } catch (error) {
    const { code } = toHawserError(error);
    if (code === "cancelled") return { stopReason: "cancelled" };
    // The history does not have such a message, so no later turn asks for its images.
    if (refusals.has(code)) for (const { path } of message?.attachments ?? []) await options.images.remove(path);
    throw toRequestError(error);
  } finally {
    session.prompts.delete(cancelling);
  }
}

const refusals: ReadonlySet<string> = new Set(["invalid_message", "too_large", "overloaded"]);

const notify = ({ editor, session: { sessionId } }: PromptOptions, update: SessionUpdate): Promise<void> =>
  editor.notify(methods.client.session.update, { sessionId, update });

/** Once: the runtime makes it of the first message. */
async function tellTitle(options: PromptOptions): Promise<void> {
  const { client, session } = options;
  if (session.hasTitle) return;
  const found = (await client.listConversations()).find(({ conversationId }) => conversationId === session.sessionId);
  if (!found) return;
  session.hasTitle = true;
  const updatedAt = new Date(found.updatedAt).toISOString();
  await notify(options, { sessionUpdate: "session_info_update", title: found.title, updatedAt });
}

/** An agent of others may have been started by this prompt, and may change its own mode on the way. */
async function tellOptions(options: PromptOptions): Promise<void> {
  const configOptions = await options.choices.changed(options.session);
  if (configOptions) await notify(options, { sessionUpdate: "config_option_update", configOptions });
}

const ownOptions: readonly PermissionOption[] = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "allow_always", name: "Always allow", kind: "allow_always" },
  { optionId: "deny", name: "Deny", kind: "reject_once" },
];

function toOnPermission({ editor, session, inputEnded }: PromptOptions): OnPermission {
  return async (question, { signal }) => {
    if (session.mode === "deny") return "deny";
    const offered = question.options ?? ownOptions;
    const request: RequestPermissionRequest = {
      sessionId: session.sessionId,
      toolCall: toAsked(question, session.cwd),
      options: [...offered],
    };
    const cancellationSignal = AbortSignal.any([signal, inputEnded]);
    const asked = editor.request(methods.client.session.requestPermission, request, { cancellationSignal, stopWaitingOnCancel: true });
    const outcome = await asked.then((answer) => answer.outcome).catch(() => undefined);
    // An editor that gives no answer has not allowed it.
    const chosen = outcome?.outcome === "selected" ? offered.find(({ optionId }) => optionId === outcome.optionId) : undefined;
    return chosen ? toAnswer(chosen, question) : "deny";
  };
}

const toAnswer = ({ optionId, kind }: PermissionOption, { options }: PermissionRequest): PermissionAnswer => ({
  decision: optionMeanings[kind].decision,
  via: "click",
  ...(options && { optionId }),
});
