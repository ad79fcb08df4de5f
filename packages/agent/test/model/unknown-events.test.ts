// Vendors add events, blocks and fields at any time. Whatever is unknown, wherever it comes in the stream: it is ignored
// and logged once, the answer is complete, and the vendor was asked once.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { createEventFilter } from "../../src/model/known-events.ts";
import { openStage, say, textOf } from "../runtime/stage.ts";
import { apis, canaryKey, modelAt, only, readStep, startScriptedModel, type Api } from "./model-rig.ts";
import type { ScriptedFailure } from "../../../../test/kit/models/scripted-server.ts";

type Event = Readonly<Record<string, unknown>>;

/** A text of two pieces and a call of a tool, as each interface streams them. */
const answers: Readonly<Record<Api, readonly Event[]>> = {
  messages: [
    { type: "message_start", message: { id: "m", model: "scripted", content: [], usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello, " } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "world" } },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "c1", name: "list_files", input: {} } },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"path":"."}' } },
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ],
  responses: [
    { type: "response.created", response: { id: "r", created_at: 1, model: "scripted" } },
    { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "m" } },
    { type: "response.output_text.delta", output_index: 0, item_id: "m", content_index: 0, delta: "Hello, " },
    { type: "response.output_text.delta", output_index: 0, item_id: "m", content_index: 0, delta: "world" },
    { type: "response.output_item.done", output_index: 0, item: { type: "message", id: "m" } },
    { type: "response.output_item.added", output_index: 1, item: callItem("") },
    { type: "response.function_call_arguments.delta", output_index: 1, item_id: "f", delta: '{"path":"."}' },
    { type: "response.output_item.done", output_index: 1, item: callItem('{"path":"."}') },
    { type: "response.completed", response: { usage: { input_tokens: 1, output_tokens: 5 } } },
  ],
  chat: [
    chunk({ role: "assistant", content: "" }),
    chunk({ content: "Hello, " }),
    chunk({ content: "world" }),
    chunk({ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "list_files", arguments: '{"path":"."}' } }] }),
    chunk({}, "tool_calls"),
    { id: "x", object: "chat.completion.chunk", choices: [], usage: { prompt_tokens: 1, completion_tokens: 5 } },
  ],
};

function callItem(text: string): Event {
  return { type: "function_call", id: "f", call_id: "c1", name: "list_files", arguments: text, status: text ? "completed" : "in_progress" };
}

function chunk(delta: Event, finish: string | null = null): Event {
  return { id: "x", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] };
}

interface Unknown {
  /** Comes one after the other at the same place in the stream. */
  readonly events: readonly Event[];
  /** What the log calls it; none for what needs no word. */
  readonly logged?: string;
}

const event = { type: "hologram", data: { deep: [1] } };
const unknowns: Readonly<Record<Api, Readonly<Record<string, Unknown>>>> = {
  messages: {
    event: { events: [event], logged: "hologram" },
    delta: { events: [{ type: "content_block_delta", index: 0, delta: { type: "smell_delta", smell: "x" } }], logged: "smell_delta" },
    block: {
      events: [
        { type: "content_block_start", index: 7, content_block: { type: "statue", text: "" } },
        { type: "content_block_delta", index: 7, delta: { type: "text_delta", text: "of a block that nobody knows" } },
        { type: "content_block_delta", index: 7, delta: { type: "statue_delta" } },
        { type: "content_block_stop", index: 7 },
      ],
      logged: "statue",
    },
    citation: { events: [{ type: "content_block_delta", index: 0, delta: { type: "citations_delta", citation: { type: "dream" } } }] },
    ping: { events: [{ type: "ping", mood: "good" }] },
  },
  responses: {
    event: { events: [{ ...event, type: "response.hologram.delta" }], logged: "response.hologram.delta" },
    item: {
      events: [
        { type: "response.output_item.added", output_index: 7, item: { type: "statue", id: "s" } },
        { type: "response.output_text.delta", output_index: 7, item_id: "s", content_index: 0, delta: "of an item that nobody knows" },
        { type: "response.output_item.done", output_index: 7, item: { type: "statue", id: "s" } },
      ],
      logged: "statue",
    },
    annotation: { events: [{ type: "response.output_text.annotation.added", output_index: 0, annotation: { type: "dream" } }] },
  },
  chat: {
    event: { events: [event], logged: "hologram" },
    object: { events: [{ id: "x", object: "cost", cost: 1 }], logged: "an event without a type" },
    delta: { events: [chunk({ smell: { strong: true } })] },
  },
};

const stream = (events: readonly Event[]): ScriptedFailure => ({
  status: 200,
  headers: { "content-type": "text/event-stream" },
  body: [...events.map((data) => `data: ${JSON.stringify(data)}`), "data: [DONE]", ""].join("\n\n"),
});

let logged: string[] = [];
beforeEach(() => {
  logged = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => logged.push(String(text)) > 0);
});
afterEach(() => vi.restoreAllMocks());

const cases = apis.flatMap((api) => Object.keys(unknowns[api]).map((name) => [api, name] as const));

describe("RUN-12 what a vendor adds", () => {
  it.each(cases)("is ignored at every place of a stream, and logged once: %s, an unknown %s", async (api, name) => {
    const { events, logged: kind } = unknowns[api][name] as Unknown;
    const answer = answers[api];
    await using scripted = await startScriptedModel(api, (_, index) => stream(answer.toSpliced(index, 0, ...events)));
    for (let place = 0; place <= answer.length; place++) {
      const outcome = await readStep(scripted.model);
      expect([place, outcome.error, outcome.text]).toEqual([place, undefined, "Hello, world"]);
      expect(only(outcome.events, "tool_call")).toMatchObject([{ toolId: "c1", toolName: "list_files", input: { path: "." } }]);
      expect(only(outcome.events, "notice")).toEqual([]);
      expect(scripted.server.requests).toHaveLength(place + 1);
    }
    expect(logged).toHaveLength(kind === undefined ? 0 : 1);
    if (kind !== undefined) expect(logged[0]).toContain(`which is ignored: "${kind}"\n`);
  });

  it.each(apis)("may be a field of everything that is known: %s", async (api) => {
    const grown = answers[api].map((known) => ({ ...known, hologram: { type: "dream", error: null } }));
    await using scripted = await startScriptedModel(api, [stream(grown)]);
    expect(await readStep(scripted.model)).toMatchObject({ text: "Hello, world", error: undefined });
    expect(logged).toEqual([]);
  });

  it.each(apis)("may be the reason for the end, which a notice tells: %s", async (api) => {
    await using scripted = await startScriptedModel(api, [{ text: "So.", finish: "lunch_break" }]);
    const { text, events, error } = await readStep(scripted.model);
    expect([text, error]).toEqual(["So.", undefined]);
    expect(only(events, "notice")).toMatchObject([{ message: expect.stringContaining("lunch_break") }]);
  });

  it("does not end a turn: one request, all of the text, and done", async () => {
    const { messages } = answers;
    const script = [
      stream([
        event,
        ...messages.slice(0, 5),
        event,
        ...messages.slice(-2).map((end) => JSON.parse(JSON.stringify(end).replace("tool_use", "end_turn")) as Event),
      ]),
    ];
    await using scripted = await startScriptedModel("messages", script);
    const stage = openStage({ models: { current: "x", pick: () => Promise.resolve(scripted.model), list: () => Promise.resolve([]) } });
    stage.send(say("t", "hello"));
    expect(await stage.endOf("t")).toMatchObject({ type: "done" });
    expect(textOf(stage.of("t"))).toBe("Hello, world");
    expect(scripted.server.requests).toHaveLength(1);
    await stage.close();
    expect(logged).toHaveLength(1);
  });

  it("is not taken for what is known and broken: that is an error", async () => {
    const broken = answers.messages.with(3, { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: 5 } });
    await using scripted = await startScriptedModel("messages", () => stream(broken));
    expect((await readStep(scripted.model)).error).toMatchObject({ code: "connection_lost" });
  });

  it("is found however the stream is cut into pieces, and the rest passes byte for byte", () => {
    const known = 'event: ping\r\ndata: {"type":"message_stop","text":"é 💥"}\r\n\r\n: a remark\ndata: [DONE]\n\ndata: unfinished';
    const whole = Buffer.from(known.replace(": a remark", 'data: {"type":"hologram"}\n: a remark'));
    for (const size of [1, 2, 3, 7, 50, whole.length]) {
      const kinds: string[] = [];
      const filter = createEventFilter((kind) => kinds.push(kind));
      const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) => whole.subarray(at * size, (at + 1) * size));
      const passed = [...pieces.map((piece) => Buffer.from(filter.push(piece))), Buffer.from(filter.end())];
      expect([Buffer.concat(passed).toString(), kinds]).toEqual([known, ["hologram"]]);
    }
  });

  it("G15 fills neither log nor memory, and a key that it repeats is not shown", async () => {
    const many = Array.from({ length: 200 }, (_, index) => ({ type: `kind-${index}-${canaryKey}` }));
    await using scripted = await startScriptedModel("messages", () => stream([...many, ...answers.messages]));
    const model = await modelAt("messages", scripted.server.url);
    for (let count = 0; count < 2; count++) expect((await readStep(model)).text).toBe("Hello, world");
    expect(logged).toHaveLength(agentLimits.modelUnknownEntries);
    expect(logged.join("")).not.toContain(canaryKey);
  });
});
