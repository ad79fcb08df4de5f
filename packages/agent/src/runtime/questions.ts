// Questions to the user: each waits for one answer, for a bounded time. Nobody there to answer is a no.

import { randomUUID } from "node:crypto";
import { HawserError, type AnyAgentRequest } from "@hawser/wire";

type Decision = Extract<AnyAgentRequest, { kind: "permission_response" }>["decision"];

export interface Answer {
  readonly decision: Decision;
  /** Who decided, or why nobody did. */
  readonly by: string;
}

export interface Questions {
  /** Rejects with the signal's reason when the turn ends first. `put` shows the question to the user. */
  ask(signal: AbortSignal, put: (permissionId: string) => Promise<void>): Promise<Answer>;
  /** Throws when no such question waits. */
  answer(permissionId: string, decision: Decision): void;
  /** From now on nobody can answer: what waits and what comes is denied. */
  close(reason: string): void;
}

export function createQuestions(permissionMs: number): Questions {
  const waiting = new Map<string, (answer: Answer) => void>();
  let closedBecause: string | undefined;

  return {
    async ask(signal, put) {
      signal.throwIfAborted();
      if (closedBecause !== undefined) return { decision: "deny", by: closedBecause };
      const permissionId = randomUUID();
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      waiting.set(permissionId, resolve);
      const timer = setTimeout(resolve, permissionMs, { decision: "deny", by: `nobody answered within ${permissionMs / 1000} seconds` });
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
    answer(permissionId, decision) {
      const settle = waiting.get(permissionId);
      if (!settle) throw new HawserError("invalid_message", "unknown or expired permissionId: nothing waits for this answer");
      waiting.delete(permissionId);
      settle({ decision, by: "the user" });
    },
    close(reason) {
      closedBecause ??= reason;
      for (const settle of waiting.values()) settle({ decision: "deny", by: closedBecause });
      waiting.clear();
    },
  };
}
