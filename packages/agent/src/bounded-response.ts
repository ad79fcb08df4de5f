// A response whose body is watched while it is read: too much of it ends it with an error, parts of it may be left
// out, and `onEnd` tells when it is over. The body is pulled: nothing is read before it is asked for.

import type { HawserError } from "@hawser/protocol";

export interface BodyWatch {
  /** What is too much, once this chunk has come; undefined if nothing is. */
  check(chunk: Uint8Array): HawserError | undefined;
  /** Resolves when more may be read. */
  whenRoom?(): Promise<void>;
  /** Gives what of the body is passed on. */
  readonly filter?: BodyFilter | undefined;
  /** The body is at its end, was given up, or has failed with this. */
  onEnd?(error?: Error): void;
}

export interface BodyFilter {
  /** What can be passed on now; it may be nothing. */
  push(chunk: Uint8Array): Uint8Array;
  /** What is left when no more comes. */
  end(): Uint8Array;
}

export function boundResponse(response: Response, watch: BodyWatch): Response {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(boundBody(response.body, watch), { status, statusText, headers });
}

function boundBody(body: ReadableStream<Uint8Array>, watch: BodyWatch): ReadableStream<Uint8Array> {
  const { check, whenRoom, filter, onEnd = () => {} } = watch;
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          // The stream pulls again only after it got something.
          for (;;) {
            if (whenRoom) await whenRoom();
            const { done, value } = await reader.read();
            const excess = done ? undefined : check(value);
            if (excess) throw excess;
            const passed = done ? filter?.end() : (filter?.push(value) ?? value);
            if (passed && passed.length > 0) controller.enqueue(passed);
            if (done) {
              onEnd();
              return controller.close();
            }
            if (passed && passed.length > 0) return;
          }
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
