// The log of one conversation as the messages of one subject. Every write names the sequence of the one before it, so the server itself
// refuses a machine that another one has overtaken: whatever clocks say, two owners can't both write. A write whose answer was lost is
// settled by reading the last message from the stream's leader: our own id means written, unchanged means once more, anything else
// means that the conversation belongs to another machine.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { DeliverPolicy, JetStreamApiError, type StoredMsg } from "@nats-io/jetstream";
import { describeThrown, HawserError, quoteShort } from "@hawser/protocol/internal";
import type { Fleet } from "../connect.ts";
import { isWrongSequence } from "../ensure-stream.ts";
import { fleetLimits } from "../limits.ts";
import { toHeaderText } from "../message-text.ts";
import { header, journalStream, toJournalSubject } from "./conversation-names.ts";
import type { Streams } from "./open-streams.ts";
import { createPartJoiner, toPartHeaders, toParts } from "./parts.ts";
import { readMessages } from "./read-messages.ts";

export function createJournalLog(fleet: Fleet, streams: Streams, conversationId: string) {
  const { client, manager } = streams;
  const subject = toJournalSubject(conversationId);
  /** The sequence of the last message that is known here; 0 for none. */
  let last = 0;
  let base = 0;
  let bytes = 0;
  /** Why nothing can be written any more. */
  let lost: HawserError | undefined;

  const lastMessage = (): Promise<StoredMsg | null> => manager.streams.getMessage(journalStream, { last_by_subj: subject });

  function giveUp(reason: HawserError): HawserError {
    lost ??= reason;
    return lost;
  }

  const fenced = (): HawserError =>
    giveUp(new HawserError("closed", `conversation ${quoteShort(conversationId, 60)} belongs to another machine of the fleet by now`));

  /** Sends one part until it is known whether it was written. Returns its sequence. */
  async function write(data: Buffer, values: Readonly<Record<string, string>>, place: readonly [number, number]): Promise<number> {
    const record = values[header.record] ?? "";
    const deadline = performance.now() + fleetLimits.fleetSettleMs;
    let isAmbiguous = false;
    for (;;) {
      try {
        const expect = { lastSubjectSequence: last, streamName: journalStream };
        return (await client.publish(subject, data, { headers: toPartHeaders(values, ...place), expect })).seq;
      } catch (error) {
        const isRefused = error instanceof JetStreamApiError && !isWrongSequence(error);
        // Final, unless an earlier try may have been written, and be what left no room for this one.
        if (isRefused && !isAmbiguous) throw refused(error);
        const found = await readLast(deadline);
        if (found === undefined) throw giveUp(unsettled(error));
        const settled = settle(found, record, place[0]);
        if (settled !== undefined) return settled;
        if (isRefused) throw refused(error);
        isAmbiguous = true;
      }
    }
  }

  /** The sequence of our write if it is there; undefined if it has to be sent again. Throws when another machine has written. */
  function settle(found: StoredMsg | null, record: string, index: number): number | undefined {
    const [seq, id, at] = found ? [found.seq, found.header.get(header.record), found.header.get(header.part)] : [0, "", ""];
    if (id === record && (at === "" || at.startsWith(`${index + 1}/`))) return seq;
    if (seq === last) return undefined;
    throw fenced();
  }

  /** Undefined when no server has said it in time; null when there is none. */
  async function readLast(deadline: number): Promise<StoredMsg | null | undefined> {
    while (performance.now() < deadline) {
      try {
        return await lastMessage();
      } catch {
        await sleep(fleetLimits.fleetRetryMs);
      }
    }
    return undefined;
  }

  /** All of it or, for a reader, none. `isBase`: what comes before it does not count any more. */
  async function append(text: string, isBase: boolean): Promise<void> {
    if (lost) throw lost;
    const parts = toParts(text, fleet.maxPayload);
    const record = randomUUID();
    const values = { [header.conversation]: toHeaderText(conversationId), [header.record]: record };
    let first = 0;
    for (const [index, part] of parts.entries()) {
      const isEnd = index === parts.length - 1;
      const start = index === 0 ? "self" : String(first);
      const from = base === 0 || (isBase && isEnd) ? start : String(base);
      last = await write(part, { ...values, [header.base]: from }, [index, parts.length]);
      if (index === 0) first = last;
    }
    bytes = isBase ? Buffer.byteLength(text) : bytes + Buffer.byteLength(text);
    if (isBase || base === 0) base = first;
  }

  return {
    get bytes(): number {
      return bytes;
    },
    /** Of the last message that is known here. */
    get sequence(): number {
      return last;
    },
    get lost(): HawserError | undefined {
      return lost;
    },
    /** From now on everything is refused: it was told elsewhere that the conversation is gone. */
    lose: fenced,
    /** The texts in their order; what comes next is written behind them. */
    async *read(): AsyncGenerator<string> {
      const end = await lastMessage();
      [last, base, bytes] = [end?.seq ?? 0, toBase(end), 0];
      if (!end) return;
      const join = createPartJoiner();
      const config = { filter_subjects: subject, deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: base };
      for await (const message of readMessages(streams, journalStream, config, ({ seq }) => seq >= last)) {
        const text = join(message);
        if (text === undefined) continue;
        bytes += Buffer.byteLength(text);
        yield text;
      }
    },
    append: (text: string) => append(text, false),
    async rewrite(text: string): Promise<void> {
      await append(text, true);
      // What does not count any more takes room until it is gone; readers pass it over.
      await manager.streams.purge(journalStream, { filter: subject, seq: base }).catch(() => {});
    },
    async remove(): Promise<void> {
      if (lost) throw lost;
      const end = await lastMessage();
      if (last > 0 && end?.seq !== last) throw fenced();
      // What another machine may write from now on stays.
      if (end) await manager.streams.purge(journalStream, { filter: subject, seq: end.seq + 1 });
      [last, base, bytes] = [0, 0, 0];
    },
    async lastText(): Promise<string | undefined> {
      const end = await lastMessage();
      return end?.string();
    },
  };
}

function toBase(end: StoredMsg | null): number {
  if (!end) return 0;
  const from = Number(end.header.get(header.base));
  return Number.isSafeInteger(from) && from > 0 ? from : end.seq;
}

const refused = (error: JetStreamApiError): HawserError =>
  new HawserError("internal", `the fleet's servers can't keep it: ${describeThrown(error)}. Make room in the stream ${journalStream}`, {
    cause: error,
    facts: { isRefused: true },
  });

const unsettled = (error: unknown): HawserError =>
  new HawserError("unknown_outcome", `the fleet's servers do not say whether it was written: ${describeThrown(error)}`, { cause: error });
