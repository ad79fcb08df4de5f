// The arguments of a model's calls before they are parsed. The AI SDK hands out parsed ones, in which a number that JavaScript
// can't hold is already another one: such a call is noted here, with its text, and is refused instead of run.

import { describeAltered, findAlteredNumber } from "@hawser/wire/internal";
import type { LanguageModelMiddleware } from "ai";

export interface InexactCall {
  /** The arguments as the model wrote them. */
  readonly text: string;
  readonly problem: string;
}

export interface ArgumentWatch {
  readonly middleware: LanguageModelMiddleware;
  /** By the id of the call; none for one whose arguments are as the model wrote them. */
  readonly inexact: ReadonlyMap<string, InexactCall>;
}

export function createArgumentWatch(): ArgumentWatch {
  const inexact = new Map<string, InexactCall>();

  function look(toolCallId: string, text: string): void {
    const problem = problemIn(text);
    if (problem !== undefined) inexact.set(toolCallId, { text, problem });
  }

  return {
    inexact,
    middleware: {
      specificationVersion: "v4",
      async wrapStream({ doStream }) {
        const { stream, ...rest } = await doStream();
        const looked = stream.pipeThrough(
          new TransformStream<StreamPart, StreamPart>({
            transform(part, controller) {
              if (part.type === "tool-call") look(part.toolCallId, part.input);
              controller.enqueue(part);
            },
          }),
        );
        return { ...rest, stream: looked };
      },
    },
  };
}

type Wrapped = NonNullable<LanguageModelMiddleware["wrapStream"]>;
type StreamPart = Awaited<ReturnType<Wrapped>>["stream"] extends ReadableStream<infer Part> ? Part : never;

/** Undefined also for what is not JSON, which others tell. */
function problemIn(text: string): string | undefined {
  try {
    const altered = findAlteredNumber(JSON.parse(text), text);
    return altered && `${altered.pointer}: ${describeAltered(altered.source)}`;
  } catch {
    return undefined;
  }
}
