// The Messages API on loopback. `url` is what ANTHROPIC_BASE_URL takes: without `/v1`.

import {
  argumentsOf,
  type Dialect,
  type EventWriter,
  type ListModels,
  piecesOf,
  type Script,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedServer,
  sendRaw,
  startScriptedServer,
} from "./scripted-server.ts";

export const startScriptedAnthropic = (script: Script, listModels?: ListModels): Promise<ScriptedServer> =>
  startScriptedServer(script, { dialect: messages, basePath: "", listModels });

export const messages: Dialect = async (answer, request, events) => {
  const usage = { input_tokens: answer.usage?.input ?? 10, cache_read_input_tokens: answer.usage?.cached ?? 0, output_tokens: 1 };
  const message = {
    id: `msg_${request.index + 1}`,
    type: "message",
    role: "assistant",
    model: request.body.model,
    content: [],
    stop_reason: null,
    usage,
  };
  await send(events, { type: "message_start", message });
  const thoughts = await sendThought(answer, events);
  const blocks = thoughts + (await sendText(answer, thoughts, events));
  for (const [position, call] of (answer.calls ?? []).entries()) await sendCall(call, blocks + position, events);
  await sendRaw(answer, events);
  if (answer.error) await send(events, { type: "error", error: answer.error });
  if (answer.cut !== undefined || answer.finish === null) return;
  const stopReason = answer.finish ?? (answer.calls?.length ? "tool_use" : "end_turn");
  const delta = { stop_reason: stopReason, stop_sequence: null };
  await send(events, { type: "message_delta", delta, usage: { output_tokens: answer.usage?.output ?? 5 } });
  await send(events, { type: "message_stop" });
};

const send = (events: EventWriter, data: { readonly type: string; readonly [key: string]: unknown }): Promise<void> =>
  events.send(data, data.type);

/** How many blocks it took: one, or none without a thought. */
async function sendThought({ thought }: ScriptedAnswer, events: EventWriter): Promise<number> {
  if (thought === undefined) return 0;
  await send(events, { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } });
  await send(events, { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: thought } });
  await send(events, { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2lnbmVk" } });
  await send(events, { type: "content_block_stop", index: 0 });
  return 1;
}

/** How many blocks it took: one, or none without text. */
async function sendText(answer: ScriptedAnswer, index: number, events: EventWriter): Promise<number> {
  let isOpen = false;
  for await (const text of piecesOf(answer)) {
    if (!isOpen) await send(events, { type: "content_block_start", index, content_block: { type: "text", text: "" } });
    isOpen = true;
    await send(events, { type: "content_block_delta", index, delta: { type: "text_delta", text } });
  }
  if (isOpen && answer.cut === undefined) await send(events, { type: "content_block_stop", index });
  return isOpen ? 1 : 0;
}

async function sendCall(call: ScriptedCall, index: number, events: EventWriter): Promise<void> {
  const block = { type: "tool_use", id: call.id, name: call.name, input: {} };
  await send(events, { type: "content_block_start", index, content_block: block });
  for (const partial_json of argumentsOf(call))
    await send(events, { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } });
  await send(events, { type: "content_block_stop", index });
}
