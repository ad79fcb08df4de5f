// One lane per conversation: its jobs run one after another, and lanes run side by side. Bounded in turns, in lanes and
// in bytes; a job that doesn't fit is refused at once. The bytes of a job count until it is over: its message is held
// while it runs as much as while it waits.

import { HawserError } from "@hawser/protocol";
import { createByteBudget, type Share } from "@hawser/wire/internal";
import { agentLimits } from "../limits.ts";

export interface Job {
  /** What it holds while it waits and runs. */
  readonly bytes: number;
  /** Before those that wait without it, and behind those that wait with it; it was accepted already, so it is never too much. */
  readonly isNext?: boolean | undefined;
  /** Never rejects. */
  run(): Promise<void>;
}

export interface Place {
  /** Takes the job back; false once it has begun. */
  withdraw(): boolean;
  /** It holds so much from now on. Throws `overloaded`. */
  resize(bytes: number): void;
}

interface HeldJob {
  readonly job: Job;
  readonly share: Share;
}

export function createLanes() {
  /** Jobs of each lane that has work; the first one runs. */
  const lanes = new Map<string, HeldJob[]>();
  const messages = createByteBudget(agentLimits.agentQueuedBytes);
  let waiting = 0;

  function begin(conversationId: string, lane: HeldJob[]): void {
    const [first] = lane;
    void first?.job.run().finally(() => {
      lane.shift();
      first.share.set(0);
      if (lane.length > 0) {
        waiting--;
        begin(conversationId, lane);
      } else lanes.delete(conversationId);
    });
  }

  function checkRoom(bytes: number): void {
    if (messages.heldBytes + bytes > agentLimits.agentQueuedBytes)
      throw overloaded("the messages that are being answered or wait are too long together");
  }

  function hold(job: Job, mayExceed: boolean): HeldJob {
    if (!mayExceed) checkRoom(job.bytes);
    const share = messages.openShare();
    share.set(job.bytes);
    return { job, share };
  }

  /** Throws `overloaded`. */
  function add(conversationId: string, job: Job): Place {
    const { isNext = false } = job;
    const lane = lanes.get(conversationId);
    if (!lane) {
      if (lanes.size >= agentLimits.agentBusyLanes) throw overloaded(`${agentLimits.agentBusyLanes} conversations are busy`);
      // A short message may always begin, so that long ones never shut a conversation out.
      const opened = [hold(job, isNext || job.bytes <= agentLimits.agentLightBytes)];
      lanes.set(conversationId, opened);
      begin(conversationId, opened);
      return { withdraw: () => false, resize: () => {} };
    }
    if (!isNext && lane.length > agentLimits.agentQueuedTurns)
      throw overloaded(`${agentLimits.agentQueuedTurns} messages wait in this conversation`);
    const held = hold(job, isNext);
    const at = isNext ? lane.findIndex((other, index) => index > 0 && !other.job.isNext) : -1;
    lane.splice(at === -1 ? lane.length : at, 0, held);
    waiting++;
    return toPlace(lane, held);
  }

  function toPlace(lane: HeldJob[], held: HeldJob): Place {
    let { bytes } = held.job;
    return {
      withdraw() {
        const at = lane.indexOf(held);
        if (at < 1) return false;
        lane.splice(at, 1);
        waiting--;
        held.share.set(0);
        return true;
      },
      resize(next) {
        if (next > bytes) checkRoom(next - bytes);
        bytes = next;
        held.share.set(next);
      },
    };
  }

  /** Does something with a conversation when what came before is over, and before whatever comes later. */
  function afterwards<Result>(conversationId: string, action: () => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      add(conversationId, { bytes: 0, run: () => action().then(resolve, reject) });
    });
  }

  return {
    get running(): number {
      return lanes.size;
    },
    get waiting(): number {
      return waiting;
    },
    add,
    afterwards,
    /** The same for one that has nothing to do. Throws when it is busy. */
    alone<Result>(conversationId: string, action: () => Promise<Result>): Promise<Result> {
      if (lanes.has(conversationId)) throw new HawserError("overloaded", "the conversation is busy; cancel its turn or wait for its end");
      return afterwards(conversationId, action);
    },
  };
}

const overloaded = (what: string): HawserError => new HawserError("overloaded", `${what}; retry when one finishes`);
