// Turns of the offline model for tests: the same loop as the runtime's, with tools that look at a real
// folder. It keeps the conversation, as the history does.

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeThrown, joinTexts, type ConversationMessage, type MessagePart } from "@hawser/protocol/internal";
import type { AttachedContent, ModelEvent, ModelTool } from "../../src/model/model.ts";
import { createOfflineModel, type OfflineModelOptions } from "../../src/offline/offline-model.ts";

export type ToolFunction = (input: Record<string, unknown>) => unknown;

export interface Turn {
  /** The whole text of the answer. */
  readonly text: string;
  readonly events: readonly ModelEvent[];
  readonly calls: readonly { readonly toolName: string; readonly input: unknown }[];
  readonly steps: number;
}

export interface Talk {
  say(text: string, attachments?: readonly AttachedContent[]): Promise<Turn>;
  readonly messages: readonly ConversationMessage[];
  readonly tools: Record<string, ToolFunction>;
}

const fixedNow = new Date("2026-03-04T05:06:07Z");

export function startTalk(tools: Record<string, ToolFunction> = {}, options: OfflineModelOptions = { now: () => fixedNow }): Talk {
  const model = createOfflineModel(options);
  const messages: ConversationMessage[] = [];
  const toModelTool = (name: string): ModelTool => ({
    name,
    description: `Tool ${name}. It does more than that.`,
    inputSchema: { type: "object" },
  });

  async function runTool(name: string, input: unknown): Promise<Partial<Extract<MessagePart, { type: "tool_result" }>>> {
    try {
      return { result: await tools[name]?.(input as Record<string, unknown>) };
    } catch (error) {
      return { result: null, isError: true, error: describeThrown(error) };
    }
  }

  return {
    messages,
    tools,
    async say(text, attachments = []) {
      const timestamp = messages.length;
      const attached = attachments.map(({ path, mime }): MessagePart => ({ type: "attachment", path, mime }));
      messages.push({ messageId: `m${messages.length}`, role: "user", parts: [{ type: "text", text }, ...attached], timestamp });
      const parts: MessagePart[] = [];
      const answer: ConversationMessage = { messageId: `m${messages.length}`, role: "assistant", parts, timestamp, model: model.name };
      const events: ModelEvent[] = [];
      let steps = 0;
      for (let goesOn = true; goesOn;) {
        goesOn = false;
        if (++steps > 100) throw new TypeError("the model does not end");
        const step = {
          instructions: "",
          messages: [...messages],
          attachments: new Map(attachments.map((file) => [file.path, file])),
          tools: Object.keys(tools).map(toModelTool),
          signal: new AbortController().signal,
        };
        for await (const event of model.stream(step)) {
          events.push(event);
          if (event.type === "text") parts.push({ type: "text", text: event.text });
          if (event.type !== "tool_call") continue;
          const { toolId, toolName, input } = event;
          parts.push({ type: "tool_use", toolId, toolName, input });
          parts.push({ type: "tool_result", toolId, toolName, result: null, ...(await runTool(toolName, input)) });
          goesOn = true;
        }
        if (!messages.includes(answer)) messages.push(answer);
      }
      const said = joinTexts(events.map((event) => (event.type === "text" ? event.text : undefined)));
      const calls = events.flatMap((event) => (event.type === "tool_call" ? [{ toolName: event.toolName, input: event.input }] : []));
      return { text: said, events, calls, steps };
    },
  };
}

export interface Folder extends AsyncDisposable {
  readonly path: string;
  readonly tools: Record<string, ToolFunction>;
}

/** A folder with these files, and tools for it. */
export async function createFolder(files: Record<string, string>): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), "hawser-offline-"));
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  const at = (input: Record<string, unknown>): string => join(path, input["path"] as string);
  return {
    path,
    tools: {
      list_files: async (input) => ({ files: (await readdir(at(input))).toSorted() }),
      read_file: async (input) => ({ content: await readFile(at(input), "utf8") }),
      write_file: async (input) => ({
        bytes: await writeFile(at(input), String(input["content"])).then(() => String(input["content"]).length),
      }),
      edit_file: async (input) => {
        const before = await readFile(at(input), "utf8");
        await writeFile(at(input), before.replace(String(input["oldText"]), String(input["newText"])));
        return { replaced: 1 };
      },
      search_files: async (input) => {
        const names = (await readdir(path)).toSorted();
        const lines = await Promise.all(names.map(async (name) => ({ name, text: await readFile(join(path, name), "utf8") })));
        const found = lines.filter(({ text }) => text.includes(String(input["pattern"])));
        return { matches: found.map(({ name, text }) => ({ path: name, line: 1, text })) };
      },
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
