// Questions to the user: each waits for one answer, for a bounded time. Without an answer it is a no. Each
// outcome says how it came about, for the audit log.

import { randomUUID } from "node:crypto";
import { HawserError } from "@hawser/wire";
import type { AnsweredVia, Outcome } from "../permissions/policy.ts";

export interface Questions {
  /** Rejects with the signal's reason when the turn ends first. `put` shows the question to the user. */
  ask(signal: AbortSignal, put: (permissionId: string) => Promise<void>): Promise<Outcome>;
  /** `via`: how the user answered, as the host says. Throws when no such question waits. */
  answer(permissionId: string, decision: Outcome["decision"], via?: string): void;
  /** There can be no answer from now on: what waits and what comes is denied. */
  close(reason: string): void;
}

const answeredVia: readonly AnsweredVia[] = ["click", "key", "shortcut", "word"];

export function createQuestions(permissionMs: number): Questions {
  const waiting = new Map<string, (outcome: Outcome) => void>();
  const expired: Outcome = { decision: "deny", by: `nobody answered within ${permissionMs / 1000} seconds`, via: "expired" };
  let closedBecause: string | undefined;

  return {
    async ask(signal, put) {
      signal.throwIfAborted();
      if (closedBecause !== undefined) return { decision: "deny", by: closedBecause, via: "closed" };
      const permissionId = randomUUID();
      const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
      waiting.set(permissionId, resolve);
      const timer = setTimeout(resolve, permissionMs, expired);
      const onAbort = (): void => reject(signal.reason as Error);
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        await Promise.race([put(permissionId), promise]);
        return await promise;
      } finally {
        waiting.delete(permissionId);
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      }
    },
    answer(permissionId, decision, via) {
      const settle = waiting.get(permissionId);
      if (!settle) throw new HawserError("invalid_message", "unknown or expired permissionId: nothing waits for this answer");
      waiting.delete(permissionId);
      settle({ decision, by: "the user", via: answeredVia.find((known) => known === via) ?? "host" });
    },
    close(reason) {
      closedBecause ??= reason;
      for (const settle of waiting.values()) settle({ decision: "deny", by: closedBecause, via: "closed" });
      waiting.clear();
    },
  };
}
