// The least that stands between a program and an ACP agent: the official client library, one agent for each conversation, and
// lines in the form of the agent protocol. Plain JavaScript, so that taking types out costs it nothing. Arguments: the agent's
// command.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

const [command = "", ...args] = process.argv.slice(2);

/** @param {object} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ ...message, timestamp: Date.now() })}\n`);

async function startAgent() {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  let id = "";
  const stream = ndJsonStream(Writable.toWeb(child.stdin), /** @type {ReadableStream<Uint8Array>} */ (Readable.toWeb(child.stdout)));
  const { agent } = client({ name: "bench" })
    .onNotification(methods.client.session.update, ({ params: { update } }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
        send({ type: "token", id, token: update.content.text });
    })
    .connect(stream);
  await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: process.cwd(), mcpServers: [] });
  return {
    /** @param {string} turnId @param {string} text */
    async prompt(turnId, text) {
      id = turnId;
      await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
    },
    stop: () => void child.stdin.end(),
  };
}

/** @type {Map<string, ReturnType<typeof startAgent>>} */
const agents = new Map();

/** @param {{ id: string, kind: string, message: string, conversationId: string, metadata?: { conversationId: string } }} request */
async function take({ id, kind, message, conversationId, metadata }) {
  if (kind === "delete_conversation") {
    const agent = await agents.get(conversationId);
    agents.delete(conversationId);
    agent?.stop();
  } else {
    const key = metadata?.conversationId ?? "";
    const starting = agents.get(key) ?? startAgent();
    agents.set(key, starting);
    await (await starting).prompt(id, message);
  }
  send({ type: "done", id });
}

send({ type: "ready" });
createInterface({ input: process.stdin })
  .on("line", (line) => void take(JSON.parse(line)))
  .on("close", () => {
    for (const agent of agents.values()) void agent.then(({ stop }) => stop());
  });
