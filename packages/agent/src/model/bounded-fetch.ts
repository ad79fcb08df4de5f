// The fetch that provider packages get: it follows no redirect, since a key must not travel to another
// address, and it bounds what one response may hold, in all and in one line, since their parsers keep
// an unfinished line in memory. The body is pulled: nothing is read that nobody asked for.

import { HawserError, limits } from "@hawser/wire";

export interface ResponseBounds {
  readonly responseBytes: number;
  readonly lineBytes: number;
}

const defaultBounds: ResponseBounds = { responseBytes: limits.modelResponseBytes, lineBytes: limits.modelLineBytes };

export function createBoundedFetch(bounds: ResponseBounds = defaultBounds): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    const refusal = whyNot(response);
    if (refusal !== undefined) {
      await response.body?.cancel();
      throw new HawserError("usage", refusal);
    }
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(boundBody(response.body, bounds), { status, statusText, headers });
  };
}

/** Mistakes in an address that would else look like a model that says nothing. */
function whyNot({ status, ok, headers }: Response): string | undefined {
  if (status >= 300 && status < 400)
    return `the address redirects to another one (${status}), which is not followed; set the final base URL`;
  if (ok && headers.get("content-type")?.startsWith("text/html")) return "the address answers with a web page; check the base URL";
  return undefined;
}

function boundBody(body: ReadableStream<Uint8Array>, bounds: ResponseBounds): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let total = 0;
  let line = 0;

  /** What is too much, if anything is. */
  function count(chunk: Uint8Array): string | undefined {
    total += chunk.length;
    const end = chunk.lastIndexOf(0x0a);
    const longest = Math.max(line + (end === -1 ? chunk.length : chunk.indexOf(0x0a)), chunk.length - end - 1);
    line = end === -1 ? line + chunk.length : chunk.length - end - 1;
    if (longest > bounds.lineBytes) return `an event of more than ${bounds.lineBytes} bytes`;
    return total > bounds.responseBytes ? `a response of more than ${bounds.responseBytes} bytes` : undefined;
  }

  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        const excess = count(value);
        if (excess === undefined) return controller.enqueue(value);
        const error = new HawserError("too_large", `the model's server sent ${excess}`);
        controller.error(error);
        await reader.cancel(error);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
