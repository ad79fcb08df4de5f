// The fetch that provider packages get: it follows no redirect, since a key must not travel to another
// address, and it bounds what one response may hold, in all and in one line, since their parsers keep
// an unfinished line in memory.

import { HawserError, limits } from "@hawser/wire";
import { boundResponse } from "../bounded-response.ts";

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
    return boundResponse(response, { check: createCount(bounds) });
  };
}

/** Mistakes in an address that would else look like a model that says nothing. */
function whyNot({ status, ok, headers }: Response): string | undefined {
  if (status >= 300 && status < 400)
    return `the address redirects to another one (${status}), which is not followed; set the final base URL`;
  if (ok && headers.get("content-type")?.startsWith("text/html")) return "the address answers with a web page; check the base URL";
  return undefined;
}

function createCount(bounds: ResponseBounds): (chunk: Uint8Array) => HawserError | undefined {
  const tooLarge = (what: string): HawserError => new HawserError("too_large", `the model's server sent ${what}`);
  let total = 0;
  let line = 0;
  return (chunk) => {
    total += chunk.length;
    const end = chunk.lastIndexOf(0x0a);
    const longest = Math.max(line + (end === -1 ? chunk.length : chunk.indexOf(0x0a)), chunk.length - end - 1);
    line = end === -1 ? line + chunk.length : chunk.length - end - 1;
    if (longest > bounds.lineBytes) return tooLarge(`an event of more than ${bounds.lineBytes} bytes`);
    return total > bounds.responseBytes ? tooLarge(`a response of more than ${bounds.responseBytes} bytes`) : undefined;
  };
}
