// A response whose body is watched while it is read: too much of it ends it with an error, and somebody is told
// when it is over. The body is pulled: nothing is read that nobody asked for.

import type { HawserError } from "@hawser/wire";

export interface BodyWatch {
  /** What is too much, once this chunk has come; undefined if nothing is. */
  check(chunk: Uint8Array): HawserError | undefined;
  /** Resolves when more may be read. */
  whenRoom?(): Promise<void>;
  /** The body is at its end, was given up, or has failed with this. */
  onEnd?(error?: Error): void;
}

export function boundResponse(response: Response, watch: BodyWatch): Response {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(boundBody(response.body, watch), { status, statusText, headers });
}

function boundBody(body: ReadableStream<Uint8Array>, { check, whenRoom, onEnd = () => {} }: BodyWatch): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          if (whenRoom) await whenRoom();
          const { done, value } = await reader.read();
          if (done) {
            onEnd();
            return controller.close();
          }
          const excess = check(value);
          if (excess) throw excess;
          controller.enqueue(value);
        } catch (error) {
          onEnd(error as Error);
          controller.error(error);
          await reader.cancel(error).catch(() => {});
        }
      },
      cancel(reason) {
        onEnd();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
