// Questions to the user: each waits for one answer, for a bounded time. No answer means deny. Each outcome says how it
// came about, for the audit log.

import { randomUUID } from "node:crypto";
import { HawserError, optionMeanings, quoteShort, type PermissionOption } from "@hawser/protocol/internal";
import { untilAborted } from "@hawser/wire/internal";
import type { agentLimits } from "../limits.ts";
import type { AnsweredVia, Outcome } from "../permissions/policy.ts";

/** The turn that asks. */
export interface Asker {
  readonly signal: AbortSignal;
  /** When its host was last told something that every host understands, on the monotonic clock. */
  heardAt(): number;
}

export type Questions = ReturnType<typeof createQuestions>;

type QuestionLimits = Pick<typeof agentLimits, "permissionMs" | "permissionUnprovenMs">;

interface WaitingQuestion {
  settle(outcome: Outcome): void;
  readonly options: readonly PermissionOption[];
}

export interface QuestionAnswer {
  readonly permissionId: string;
  readonly decision: Outcome["decision"];
  readonly optionId?: string | undefined;
  /** How the user answered, as the host says. */
  readonly via?: string | undefined;
}

const answeredVia: readonly AnsweredVia[] = ["click", "key", "shortcut", "word"];

export function createQuestions({ permissionMs, permissionUnprovenMs }: QuestionLimits) {
  const waiting = new Map<string, WaitingQuestion>();
  let closedBecause: string | undefined;
  let isHostTrusted = false;

  /** Denies when the time is over. The due time is computed again each time: the host may show that it answers, or hear of other tools meanwhile. */
  function startClock(heardAt: () => number, deny: (outcome: Outcome) => void): () => void {
    const askedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    function look(): void {
      const latestAt = askedAt + permissionMs;
      const dueAt = isHostTrusted ? latestAt : Math.min(latestAt, heardAt() + permissionUnprovenMs);
      const now = performance.now();
      const seconds = (dueAt < latestAt ? permissionUnprovenMs : permissionMs) / 1000;
      if (now < dueAt) timer = setTimeout(look, Math.ceil(dueAt - now));
      else deny({ decision: "deny", by: `nobody answered within ${seconds} seconds`, via: "expired" });
    }
    look();
    return () => clearTimeout(timer);
  }

  return {
    /** Rejects with the signal's reason when the turn ends first. `put` shows the question to the user, with the `options` if there are any. */
    async ask(
      { signal, heardAt }: Asker,
      put: (permissionId: string) => Promise<void>,
      options: readonly PermissionOption[] = [],
    ): Promise<Outcome> {
      signal.throwIfAborted();
      if (closedBecause !== undefined) return { decision: "deny", by: closedBecause, via: "closed" };
      const permissionId = randomUUID();
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      waiting.set(permissionId, { settle: resolve, options });
      const stopClock = startClock(heardAt, resolve);
      try {
        return await untilAborted(
          signal,
          Promise.race([put(permissionId), promise]).then(() => promise),
        );
      } finally {
        waiting.delete(permissionId);
        stopClock();
      }
    },
    /** The host says that it answers questions: they may wait their whole time. */
    trustHost(): void {
      isHostTrusted = true;
    },
    /** Throws when no such question waits, or when it has no such option; it then goes on waiting. */
    answer({ permissionId, decision, optionId, via }: QuestionAnswer): void {
      isHostTrusted = true;
      const question = waiting.get(permissionId);
      if (!question) throw new HawserError("invalid_message", "unknown or expired permissionId: nothing waits for this answer");
      if (optionId !== undefined) checkOption(optionId, decision, question.options);
      waiting.delete(permissionId);
      const how = answeredVia.find((known) => known === via) ?? "host";
      question.settle({ decision, by: "the user", via: how, ...(optionId !== undefined && { optionId }) });
    },
    /** No answer can come from now on: open and later questions are denied. */
    close(reason: string): void {
      closedBecause ??= reason;
      for (const { settle } of waiting.values()) settle({ decision: "deny", by: closedBecause, via: "closed" });
      waiting.clear();
    },
  };
}

/** A host that says one thing and picks another has shown its user something else. */
function checkOption(optionId: string, decision: Outcome["decision"], options: readonly PermissionOption[]): void {
  const option = options.find((each) => each.optionId === optionId);
  if (!option) throw new HawserError("invalid_message", `the question has no option ${quoteShort(optionId, 100)}`);
  const meant = optionMeanings[option.kind].decision;
  if (meant !== decision)
    throw new HawserError("invalid_message", `the option ${quoteShort(optionId, 100)} means ${meant}, not ${decision}`);
}
