// The arguments of a model's calls before they are parsed. The AI SDK hands out parsed ones, in which a number that JavaScript
// can't hold is already another one: such a call is noted here, with its text, and is refused instead of run.

import { findSourceProblem } from "@hawser/tools/internal";
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
        async transform(part, controller) {
          const problem = part.type === "tool-call" ? await problemIn(part.input) : undefined;
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
async function problemIn(text: string): Promise<string | undefined> {
  let args: unknown;
  try {
    args = JSON.parse(text);
  } catch {
    return undefined;
  }
  const problem = await findSourceProblem(args, text, []);
  return problem && (problem.path === "" ? problem.reason : `${problem.path}: ${problem.reason}`);
}
