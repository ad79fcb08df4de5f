// Our runtime as an agent of the Agent Client Protocol, version 1, for editors. It is one more host of the runtime: what editors ask
// becomes requests of the agent protocol, in this process, so lanes, history, permissions and limits are those of every other host.

import { agent, methods, RequestError, type AgentContext } from "@agentclientprotocol/sdk";
import { serveAgent, type AgentParts } from "@hawser/agent";
import { createAgentClient } from "@hawser/agent/host/link";
import { createNoiseLog } from "@hawser/protocol/internal";
import { createMemoryPair, whenAborted, type Transport } from "@hawser/wire/internal";
import { logLine, type Lifecycle } from "@hawser/wire/internal/node";
import { createMessageStream } from "../connection/message-stream.ts";
import { acpLimits } from "../limits.ts";
import { holdOpen } from "./hold-open.ts";
import { createImages } from "./images.ts";
import { runPrompt } from "./prompt-turn.ts";
import { inWords } from "./request-error.ts";
import { createRuntimeLink } from "./runtime-link.ts";
import { createSessionChoices } from "./session-choices.ts";
import { createSessions, type Session, type SessionPlace } from "./sessions.ts";
import { toReplay } from "./to-updates.ts";

export interface ServeAcpOptions {
  readonly parts: AgentParts;
  readonly lifecycle: Lifecycle;
  readonly version: string;
  /** What conversations without folders work in. */
  readonly homeFolder: string;
  /** Private, for images of prompts; one of the runtime's folders for attachments. */
  readonly attachments: string;
}

const authMethods = [
  {
    id: "environment",
    name: "Keys from the environment",
    description: "Set ANTHROPIC_API_KEY or OPENAI_API_KEY for a vendor's model. The offline model needs none.",
  },
];

const agentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true, embeddedContext: true },
  mcpCapabilities: { http: true, sse: true },
  sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
};

/** Resolves when the editor is gone or the process is told to stop, and everything accepted has been answered. */
export async function serveAcp(transport: Transport, options: ServeAcpOptions): Promise<void> {
  const { parts, lifecycle, version } = options;
  const [inner, outer] = createMemoryPair();
  const serving = serveAgent(inner, parts, { lifecycle });
  const client = createAgentClient(createRuntimeLink(outer), { answersPermissions: true, idleMs: Infinity, totalMs: Infinity });
  const sessions = createSessions(client, options.homeFolder);
  let takesSwitches = false;
  const choices = createSessionChoices(client, () => takesSwitches);
  const images = createImages(options.attachments);
  const ended = new AbortController();

  const toPlace = ({ cwd, additionalDirectories, mcpServers }: SessionPlace): SessionPlace => ({ cwd, additionalDirectories, mcpServers });

  async function replay(sessionId: string, cwd: string, editor: AgentContext): Promise<void> {
    const { messages } = await client.loadConversation(sessionId, { include: ["steer", "reasoning", "plan"] });
    for (const message of messages)
      for (const update of toReplay(message, cwd)) await editor.notify(methods.client.session.update, { sessionId, update });
  }

  /** Behind the answer to the request that is being handled: its session is known to the editor then. */
  async function tellOptionsLater(session: Session, editor: AgentContext): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const configOptions = await choices.prepare(session).catch(() => undefined);
    const update = configOptions && { sessionUpdate: "config_option_update" as const, configOptions };
    if (update) await editor.notify(methods.client.session.update, { sessionId: session.sessionId, update }).catch(() => {});
  }

  const { session: methodsOfSession } = methods.agent;
  const app = agent({ name: "hawser" })
    .onRequest(methods.agent.initialize, ({ params: { clientCapabilities } }) => {
      takesSwitches = Boolean(clientCapabilities?.session?.configOptions?.boolean);
      return { protocolVersion: 1, agentCapabilities, authMethods, agentInfo: { name: "hawser", title: "Hawser", version } };
    })
    .onRequest(methods.agent.authenticate, ({ params: { methodId } }) => {
      if (!authMethods.some(({ id }) => id === methodId)) throw RequestError.invalidParams({ methodId }, "there is no such method");
      return {};
    })
    .onRequest(
      methodsOfSession.new,
      inWords(async ({ params, client: editor }) => {
        const session = sessions.create(toPlace(params));
        const answer = { sessionId: session.sessionId, ...(await choices.all(session)) };
        void tellOptionsLater(session, editor);
        return answer;
      }),
    )
    .onRequest(
      methodsOfSession.load,
      inWords(async ({ params, client: editor }) => {
        const session = await sessions.reopen(params.sessionId, toPlace(params));
        await replay(params.sessionId, session.cwd, editor);
        return choices.all(session);
      }),
    )
    .onRequest(
      methodsOfSession.resume,
      inWords(async ({ params }) => choices.all(await sessions.reopen(params.sessionId, toPlace(params)))),
    )
    .onRequest(
      methodsOfSession.list,
      inWords(async ({ params: { cwd, cursor } }) => {
        if (cursor) throw RequestError.invalidParams({ cursor }, "the list has one page, and no cursor was given out");
        return { sessions: await sessions.list(cwd ?? undefined) };
      }),
    )
    .onRequest(
      methodsOfSession.close,
      inWords(async ({ params: { sessionId } }) => {
        sessions.get(sessionId);
        await sessions.close(sessionId);
        return {};
      }),
    )
    .onRequest(
      methodsOfSession.delete,
      inWords(async ({ params: { sessionId } }) => {
        await sessions.close(sessionId);
        await client.deleteConversation(sessionId);
        return {};
      }),
    )
    .onRequest(methodsOfSession.setMode, ({ params: { sessionId, modeId } }) => {
      choices.setMode(sessions.get(sessionId), modeId);
      return {};
    })
    .onRequest(
      methodsOfSession.setConfigOption,
      inWords(async ({ params }) => {
        const session = sessions.get(params.sessionId);
        await choices.set(session, params.configId, params.value);
        return { configOptions: await choices.list(session) };
      }),
    )
    .onRequest(methodsOfSession.prompt, ({ params, client: editor, signal }) => {
      const session = sessions.get(params.sessionId);
      const { signal: inputEnded } = ended;
      return runPrompt({ client, editor, session, prompt: params.prompt, images, choices, signal, inputEnded });
    })
    .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) => sessions.cancel(sessionId));

  const onNoise = createNoiseLog((words) => logLine(`[hawser] acp: ${words}`), undefined, "stdin");
  const { heldOpen, whenAnswered } = holdOpen(transport, () => ended.abort());
  const room = { entries: acpLimits.acpRequestEntries, chars: acpLimits.acpRequestChars };
  const connection = app.connect(createMessageStream({ transport: heldOpen, onNoise, room }));
  await Promise.race([connection.closed, whenAborted(lifecycle.stopping)]);
  // Told to stop: what runs gets its time, and is cancelled by the runtime when that is over.
  await whenAnswered();
  await sessions.end();
  await client.close();
  await serving;
  connection.close();
}
