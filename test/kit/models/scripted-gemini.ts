// Gemini's streamGenerateContent, as a dialect of the scripted server.

import { type Dialect, piecesOf, type ScriptedAnswer, sendRaw } from "./scripted-server.ts";

export const generateContent: Dialect = async (answer, _, events) => {
  const send = (parts: readonly object[], end: object = {}): Promise<void> =>
    events.send({ candidates: [{ content: { role: "model", parts }, index: 0, ...end }], usageMetadata: usageOf(answer) });
  if (answer.thought !== undefined) await send([{ text: answer.thought, thought: true }]);
  for await (const text of piecesOf(answer)) await send([{ text }]);
  for (const { id, name, input = {} } of answer.calls ?? []) await send([{ functionCall: { id, name, args: input } }]);
  await sendRaw(answer, events);
  if (answer.cut !== undefined || answer.finish === null) return;
  await send([], { finishReason: answer.finish ?? "STOP" });
};

function usageOf({ usage = { input: 10, output: 5 } }: ScriptedAnswer): object {
  return { promptTokenCount: usage.input, candidatesTokenCount: usage.output, totalTokenCount: usage.input + usage.output };
}
