// The fetch that provider packages get: it follows no redirect, since a key must not travel to another
// address, and it bounds what one response may hold, in all and in one line, since their parsers keep
// an unfinished line in memory. So do several of them at once: when the unfinished lines of all responses
// are long together, one response at a time is read on. Events of unknown kinds are left out (known-events.ts).

import { agentLimits } from "../limits.ts";
import { createByteBudget, type ByteBudget } from "@hawser/wire/internal";
import { HawserError } from "@hawser/protocol";
import { boundResponse, type BodyWatch } from "../bounded-response.ts";
import { createHiding } from "../hide-secrets.ts";

export interface ResponseBounds {
  readonly responseBytes: number;
  readonly lineBytes: number;
}

const defaultBounds: ResponseBounds = { responseBytes: agentLimits.modelResponseBytes, lineBytes: agentLimits.modelLineBytes };

/** For all models of a runtime. */
export function createBoundedFetch(bounds: ResponseBounds = defaultBounds): typeof globalThis.fetch {
  const unfinishedLines = createByteBudget(agentLimits.modelHeldBytes);
  const unknownKinds = new Set<string>();
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    const refusal = whyNot(response);
    if (refusal !== undefined) {
      await response.body?.cancel();
      throw new HawserError("usage", refusal);
    }
    const watch = createWatch(bounds, unfinishedLines);
    // Not every server says `text/event-stream` where it should.
    const isStream = response.ok && !response.headers.get("content-type")?.startsWith("application/json");
    if (!isStream) return boundResponse(response, watch);
    // Loaded when a model is used, as the provider packages are.
    const { createEventFilter, noteUnknownKind } = await import("./known-events.ts");
    // A server may repeat what it was sent; the key is in one of these.
    const hide = createHiding([...new Headers(init?.headers).values()].flatMap((value) => value.split(" ")));
    return boundResponse(response, { ...watch, filter: createEventFilter((kind) => noteUnknownKind(kind, unknownKinds, hide)) });
  };
}

/** Mistakes in an address that would else look like a model that says nothing. */
function whyNot({ status, ok, headers }: Response): string | undefined {
  if (status >= 300 && status < 400)
    return `the address redirects to another one (${status}), which is not followed; set the final base URL`;
  if (ok && headers.get("content-type")?.startsWith("text/html")) return "the address answers with a web page; check the base URL";
  return undefined;
}

function createWatch(bounds: ResponseBounds, unfinishedLines: ByteBudget): BodyWatch {
  const tooLarge = (what: string): HawserError => new HawserError("too_large", `the model's server sent ${what}`);
  let goOn = (): void => {};
  let total = 0;
  let line = 0;
  const share = unfinishedLines.openShare(() => goOn());
  return {
    check(chunk) {
      total += chunk.length;
      const end = chunk.lastIndexOf(0x0a);
      const longest = Math.max(line + (end === -1 ? chunk.length : chunk.indexOf(0x0a)), chunk.length - end - 1);
      line = end === -1 ? line + chunk.length : chunk.length - end - 1;
      share.set(Math.max(0, line - agentLimits.agentLightBytes));
      if (longest > bounds.lineBytes) return tooLarge(`an event of more than ${bounds.lineBytes} bytes`);
      return total > bounds.responseBytes ? tooLarge(`a response of more than ${bounds.responseBytes} bytes`) : undefined;
    },
    async whenRoom() {
      while (!share.mayGrow()) await new Promise<void>((resolve) => (goOn = resolve));
    },
    onEnd() {
      share.set(0);
      goOn();
    },
  };
}
