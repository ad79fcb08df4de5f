// Chat Completions and Responses on loopback, told apart by the path of the request. `url` is what
// OPENAI_BASE_URL takes: with `/v1`. Serves for Ollama and other compatible servers too.

import {
  argumentsOf,
  type Dialect,
  type ListModels,
  piecesOf,
  type Script,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedServer,
  sendRaw,
  startScriptedServer,
} from "./scripted-server.ts";

export const startScriptedOpenAI = (script: Script, listModels?: ListModels): Promise<ScriptedServer> =>
  startScriptedServer(script, {
    dialect: (answer, request, events) => (request.path.endsWith("/responses") ? responses : chat)(answer, request, events),
    basePath: "/v1",
    listModels,
  });

export const chat: Dialect = async (answer, request, events) => {
  const base = { id: `chatcmpl-${request.index + 1}`, object: "chat.completion.chunk", created: 1, model: request.body.model };
  const delta = (content: object, finish: string | null = null): Promise<void> =>
    events.send({ ...base, choices: [{ index: 0, delta: content, finish_reason: finish }] });
  await delta({ role: "assistant", content: "" });
  if (answer.thought !== undefined) await delta({ reasoning_content: answer.thought });
  for await (const text of piecesOf(answer)) await delta({ content: text });
  for (const [index, call] of (answer.calls ?? []).entries()) {
    await delta({ tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }] });
    for (const piece of argumentsOf(call)) await delta({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  await sendRaw(answer, events);
  if (answer.error) await events.send({ error: { ...answer.error, code: null } });
  if (answer.cut !== undefined || answer.finish === null) return;
  await delta({}, answer.finish ?? (answer.calls?.length ? "tool_calls" : "stop"));
  await events.send({ ...base, choices: [], usage: chatUsage(answer) });
  await events.send("[DONE]");
};

function chatUsage({ usage = { input: 10, output: 5 } }: ScriptedAnswer): object {
  const details = { cached_tokens: usage.cached ?? 0 };
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: details,
  };
}

export const responses: Dialect = async (answer, request, events) => {
  let sequence = 0;
  const send = (type: string, data: object): Promise<void> => events.send({ type, sequence_number: sequence++, ...data }, type);
  const response = {
    id: `resp_${request.index + 1}`,
    object: "response",
    created_at: 1,
    model: request.body.model,
    status: "in_progress",
    output: [],
  };
  await send("response.created", { response });
  const thoughts = await sendThought(answer, request.index, send);
  const items = thoughts + (await sendMessage(answer, { index: thoughts, id: `msg_${request.index + 1}` }, send));
  for (const [position, call] of (answer.calls ?? []).entries())
    await (call.isCustom ? sendCustomCall : sendFunctionCall)(call, items + position, send);
  await sendRaw(answer, events);
  if (answer.error) await send("error", { code: answer.error.type, message: answer.error.message, param: null });
  if (answer.cut !== undefined || answer.finish === null) return;
  const usage = responsesUsage(answer);
  if (answer.finish === undefined) await send("response.completed", { response: { ...response, status: "completed", usage } });
  else
    await send("response.incomplete", {
      response: { ...response, status: "incomplete", incomplete_details: { reason: answer.finish }, usage },
    });
};

type Send = (type: string, data: object) => Promise<void>;

/** How many output items it took: one, or none without a thought. */
async function sendThought({ thought }: ScriptedAnswer, request: number, send: Send): Promise<number> {
  if (thought === undefined) return 0;
  const item = { type: "reasoning", id: `rs_${request + 1}`, summary: [] };
  const place = { item_id: item.id, output_index: 0, summary_index: 0 };
  await send("response.output_item.added", { output_index: 0, item });
  await send("response.reasoning_summary_part.added", { ...place, part: { type: "summary_text", text: "" } });
  await send("response.reasoning_summary_text.delta", { ...place, delta: thought });
  await send("response.reasoning_summary_text.done", { ...place, text: thought });
  await send("response.output_item.done", { output_index: 0, item: { ...item, summary: [{ type: "summary_text", text: thought }] } });
  return 1;
}

/** How many output items it took: one, or none without text. */
async function sendMessage(answer: ScriptedAnswer, { index, id }: { index: number; id: string }, send: Send): Promise<number> {
  const item = { type: "message", id, role: "assistant", status: "in_progress", content: [] };
  const place = { item_id: item.id, output_index: index, content_index: 0 };
  let whole = "";
  for await (const text of piecesOf(answer)) {
    if (whole === "") {
      await send("response.output_item.added", { output_index: index, item });
      await send("response.content_part.added", { ...place, part: { type: "output_text", text: "", annotations: [] } });
    }
    whole += text;
    await send("response.output_text.delta", { ...place, delta: text, logprobs: [] });
  }
  if (whole === "" || answer.cut !== undefined) return whole === "" ? 0 : 1;
  const part = { type: "output_text", text: whole, annotations: [] };
  await send("response.output_text.done", { ...place, text: whole, logprobs: [] });
  await send("response.output_item.done", { output_index: index, item: { ...item, status: "completed", content: [part] } });
  return 1;
}

async function sendFunctionCall(call: ScriptedCall, index: number, send: Send): Promise<void> {
  const { id: call_id, name, namespace } = call;
  const item = { type: "function_call", id: `fc_${index}`, call_id, name, namespace, arguments: "", status: "in_progress" };
  const pieces = argumentsOf(call);
  const text = pieces.join("");
  await send("response.output_item.added", { output_index: index, item });
  for (const delta of pieces) await send("response.function_call_arguments.delta", { item_id: item.id, output_index: index, delta });
  await send("response.function_call_arguments.done", { item_id: item.id, output_index: index, arguments: text });
  await send("response.output_item.done", { output_index: index, item: { ...item, arguments: text, status: "completed" } });
}

async function sendCustomCall(call: ScriptedCall, index: number, send: Send): Promise<void> {
  const item = { type: "custom_tool_call", id: `ctc_${index}`, call_id: call.id, name: call.name, input: "", status: "in_progress" };
  await send("response.output_item.added", { output_index: index, item });
  await send("response.output_item.done", {
    output_index: index,
    item: { ...item, input: argumentsOf(call).join(""), status: "completed" },
  });
}

function responsesUsage({ usage = { input: 10, output: 5 } }: ScriptedAnswer): object {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached ?? 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.input + usage.output,
  };
}
