// The arguments of a model's calls before they are parsed. The AI SDK hands out parsed ones, in which a number that JavaScript
// can't hold is already another one: such a call is noted here, with its text, and is refused instead of run.

import { describeTooWide } from "@hawser/tools/internal";
import { describeAltered, findAlteredNumber } from "@hawser/wire/internal";
import type { LanguageModelMiddleware } from "ai";

export interface InexactCall {
  /** The arguments as the model wrote them. */
  readonly text: string;
  readonly problem: string;
}

/** What looks at the calls, and those whose arguments are not as the model wrote them, by the id of the call. */
export function createArgumentWatch() {
  const inexact = new Map<string, InexactCall>();
  const middleware: LanguageModelMiddleware = {
    specificationVersion: "v4",
    async wrapStream({ doStream }) {
      const { stream, ...rest } = await doStream();
      const looking = new TransformStream<StreamPart, StreamPart>({
        transform(part, controller) {
          const problem = part.type === "tool-call" ? problemIn(part.input) : undefined;
          if (part.type === "tool-call" && problem !== undefined) inexact.set(part.toolCallId, { text: part.input, problem });
          controller.enqueue(part);
        },
      });
      return { ...rest, stream: stream.pipeThrough(looking) };
    },
  };
  return { inexact, middleware };
}

type Wrapped = NonNullable<LanguageModelMiddleware["wrapStream"]>;
type StreamPart = Awaited<ReturnType<Wrapped>>["stream"] extends ReadableStream<infer Part> ? Part : never;

/** Undefined also for what is not JSON, which others tell. */
function problemIn(text: string): string | undefined {
  const tooWide = describeTooWide(text);
  if (tooWide !== undefined) return tooWide;
  try {
    const altered = findAlteredNumber(JSON.parse(text), text);
    return altered && `${altered.pointer}: ${describeAltered(altered.source)}`;
  } catch {
    return undefined;
  }
}
