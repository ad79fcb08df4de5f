// A step in the two forms that the AI SDK asks for: as a stream, and as a whole, which is the stream folded.

import type { LanguageModelV4Content, LanguageModelV4GenerateResult, LanguageModelV4StreamPart, SharedV4Warning } from "@ai-sdk/provider";
import { CLIInterruptedError, CLIResponseParseError } from "../errors.ts";

type Parts = AsyncGenerator<LanguageModelV4StreamPart>;

/** A reader that goes away before the end ends the run. What fails is the last part of the stream. */
export function toStepStream(parts: Parts, endRun: (reason: Error) => Promise<void>): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        try {
          const { done, value } = await parts.next();
          if (done !== true) controller.enqueue(value);
          // Behind it, a run may wait for results: whoever leaves now has seen the end.
          if (done === true || value.type === "finish") controller.close();
        } catch (error) {
          controller.enqueue({ type: "error", error });
          controller.close();
        }
      },
      async cancel() {
        await endRun(new CLIInterruptedError("nobody reads the stream any more"));
        await parts.return(undefined);
      },
    },
    // Nothing is asked for before somebody reads.
    { highWaterMark: 0 },
  );
}

export async function foldStep(parts: Parts, warnings: readonly SharedV4Warning[]): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = [];
  const texts = new Map<string, { type: "text" | "reasoning"; text: string }>();
  let response: LanguageModelV4GenerateResult["response"];
  for await (const part of parts) {
    switch (part.type) {
      case "text-start":
      case "reasoning-start": {
        const block = { type: part.type === "text-start" ? ("text" as const) : ("reasoning" as const), text: "" };
        texts.set(part.id, block);
        content.push(block);
        break;
      }
      case "text-delta":
      case "reasoning-delta": {
        const block = texts.get(part.id);
        if (block) block.text += part.delta;
        break;
      }
      case "tool-call":
      case "tool-result":
        content.push(part);
        break;
      case "response-metadata":
        response = part;
        break;
      case "finish": {
        const { finishReason, usage, providerMetadata } = part;
        return {
          content,
          finishReason,
          usage,
          warnings: [...warnings],
          ...(providerMetadata && { providerMetadata }),
          ...(response && { response }),
        };
      }
      default:
    }
  }
  throw new CLIResponseParseError("the step ended without an end");
}
