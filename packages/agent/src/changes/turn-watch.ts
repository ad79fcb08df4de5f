// One turn, as far as it may change files. It says what it is about to do before it does it: change one file, or anything at all. What was
// there is known then, and what is there afterwards is the turn's. A look that fails never fails a turn: it is told, and what
// the turn changes can't be undone then.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describeThrown } from "@hawser/protocol";
import { isSettledWithin, untilAborted } from "@hawser/wire/internal";
import { undoLimits } from "./limits.ts";
import { resolveInside } from "../tools/files/open-inside.ts";
import { isInside, type Roots } from "../tools/files/roots.ts";
import { refuseSettings } from "../tools/files/settings-files.ts";
import type { Store } from "./change-log.ts";
import { keyIn } from "./shown-path.ts";

/** What a call of a tool may change: this file, or anything. */
export type Reach = { readonly path: string } | "anything";

export interface TurnWatch {
  /**
   * Resolves when it is known what is there now. What it returns is called when the call is really over, and resolves when that is noted.
   * Throws only what the signal says.
   */
  before(reach: Reach, signal: AbortSignal): Promise<() => Promise<void>>;
  /** The turn is over. */
  end(): Promise<void>;
}

export interface TurnName {
  readonly conversationId: string;
  readonly requestId: string;
  /** For the host, when it takes long. */
  tell(message: string): void;
  /** For people: what can't be undone, and why. */
  onProblem(message: string): void;
}

/** What no tool may change is not kept either. */
function isSetting(roots: Roots, real: string): boolean {
  try {
    refuseSettings(roots, real);
    return false;
  } catch {
    return true;
  }
}

const nothing = (): Promise<void> => Promise.resolve();

export function openTurn({ conversationId, requestId, tell, onProblem }: TurnName, roots: Roots, stores: readonly Store[]): TurnWatch {
  const turn = randomUUID();
  /** Calls that are not over. */
  const open = new Set<Promise<unknown>>();
  let wholeLook: Promise<() => Promise<void>> | undefined;
  let hasProblem = false;

  const tellProblem = (error: unknown): void => {
    if (!hasProblem) onProblem(`what request ${requestId} changes can't be undone: ${describeThrown(error)}`);
    hasProblem = true;
  };

  /** Returns how to end it. */
  async function watch(store: Store, keys?: readonly string[]): Promise<() => Promise<void>> {
    const id = randomUUID();
    const letGo = store.hold(keys ?? []);
    store.active.add(id);
    const forget = (): void => {
      letGo();
      store.active.delete(id);
    };
    try {
      const others = keys ? [] : store.busyKeys();
      const watched = { id, turn, conversationId, requestId, holder: store.holder, busy: others, ...(keys && { keys }) };
      await store.use((ask) => ask("begin", watched));
      await store.mark(conversationId);
    } catch (error) {
      forget();
      tellProblem(error);
      return nothing;
    }
    return () =>
      store
        .use((ask) => ask("end", id, keys ? [] : store.busyKeys()))
        .catch(tellProblem)
        .finally(forget);
  }

  async function watchAll(): Promise<() => Promise<void>> {
    const ends = await Promise.all(stores.map((store) => watch(store)));
    return async () => void (await Promise.all(ends.map((end) => end())));
  }

  async function watchFile(path: string): Promise<() => Promise<void>> {
    // A path that can't be used is the tool's to refuse.
    const target = await resolveInside(roots, path).catch(() => undefined);
    const real = target && join(target.existing, ...target.missing);
    const store = real === undefined ? undefined : stores.find(({ root }) => isInside(root, real));
    if (real === undefined || !store || real === store.root || isSetting(roots, real)) return nothing;
    return watch(store, [keyIn(store.root, real)]);
  }

  return {
    async before(reach, signal) {
      const looking = reach === "anything" ? (wholeLook ??= watchAll()) : watchFile(reach.path);
      const timer = setTimeout(() => tell("looks at the files, so that changes can be undone"), undoLimits.undoSilentMs);
      const call = Promise.withResolvers<void>();
      open.add(call.promise);
      const over = (): void => {
        open.delete(call.promise);
        call.resolve();
      };
      try {
        const end = await untilAborted(signal, looking);
        return async () => {
          // Of what may change anything, there is one look at the end of the turn.
          if (reach !== "anything") await end();
          over();
        };
      } catch (error) {
        void looking.then((end) => (reach === "anything" ? undefined : end())).finally(over);
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    async end() {
      if (open.size > 0) await isSettledWithin(Promise.all(open), undoLimits.undoSettleMs);
      const end = await wholeLook;
      await end?.();
    },
  };
}
