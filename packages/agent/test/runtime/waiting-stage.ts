// A runtime whose model waits for a tool that ends when the test says so, and which can be steered meanwhile.

import type { AnyAgentResponse, MessagePart } from "@hawser/protocol";
import type { Tool } from "@hawser/tools";
import { createMemoryStore } from "../../src/history/memory-store.ts";
import type { ModelStep } from "../../src/model/model.ts";
import { withSteersApart } from "../../src/model/steers-apart.ts";
import { createGate, openStage, type Script, type Stage, type StageOptions } from "./stage.ts";

/** What a model sees of a step: who said what, in its order. */
export const seenIn = ({ messages }: ModelStep): string[] =>
  withSteersApart(messages).flatMap(({ role, parts }) => parts.map((part) => `${role}: ${shown(part)}`));

function shown(part: MessagePart): string {
  if (part.type === "text") return part.text;
  return part.type === "tool_use" || part.type === "tool_result" ? part.type : "";
}

export interface WaitingStage extends Stage {
  readonly seen: string[][];
  /** Lets the tool of the running turn end. */
  endTool(): void;
  ask(request: object): Promise<AnyAgentResponse>;
  steer(id: string, target: string, message: string): Promise<string>;
}

/** A model that calls `wait` for every message that begins with "wait", and then repeats the last that was said to it. */
export function openWaitingStage(options: StageOptions = {}): WaitingStage {
  const seen: string[][] = [];
  let gate = createGate();
  const script: Script = (step) => {
    const said = seenIn(step);
    seen.push(said);
    const last = said.findLast((line) => line.startsWith("user: "))?.slice("user: ".length) ?? "";
    if (said.at(-1)?.startsWith("user: wait")) return [{ type: "tool_call", toolId: `t${seen.length}`, toolName: "wait", input: {} }];
    return [{ type: "text", text: `you said: ${last}` }];
  };
  const wait: Tool = { name: "wait", description: "", input: { type: "object" }, run: () => gate.opened.then(() => "waited") };
  const stage = openStage({ script, tools: [wait], store: createMemoryStore(), ...options });
  const ask = (request: object): Promise<AnyAgentResponse> => {
    stage.send(request);
    return stage.endOf((request as { id: string }).id);
  };
  return {
    ...stage,
    seen,
    ask,
    endTool() {
      gate.open();
      gate = createGate();
    },
    async steer(id, target, message) {
      const end = await ask({ id, kind: "steer", target, message });
      if (end.type !== "done" || end.data?.steerId === undefined) throw new Error(JSON.stringify(end));
      return end.data.steerId;
    },
  };
}

export const usesTool = ({ type }: AnyAgentResponse): boolean => type === "tool_use";

export async function queueOf(stage: WaitingStage, id: string, conversationId = "c"): Promise<object> {
  await stage.ask({ id, kind: "list_queue", conversationId });
  return (stage.of(id)[0] as Extract<AnyAgentResponse, { type: "queue" }>).data;
}
