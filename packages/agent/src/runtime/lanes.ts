// One lane per conversation: what it has to do is done one after the other, and lanes run side by side.
// How much is taken on is bounded in turns, in lanes and in bytes; what does not fit is refused at once. The bytes
// of a job count until it is over: its message is held while it runs as much as while it waits.

import { HawserError, limits } from "@hawser/wire";

export interface Job {
  /** What it holds while it waits and runs. */
  readonly bytes: number;
  /** Never rejects. */
  run(): Promise<void>;
}

export interface Lanes {
  readonly running: number;
  readonly waiting: number;
  /** Throws `overloaded`. Returns how to take the job back, which is false once it has begun. */
  add(conversationId: string, job: Job): () => boolean;
  isBusy(conversationId: string): boolean;
  /** Does something with a conversation that has nothing to do; whatever comes meanwhile waits. Throws when it is busy. */
  alone<Result>(conversationId: string, action: () => Promise<Result>): Promise<Result>;
  /** The same for one that is busy: when what came before is over, and before whatever comes later. */
  afterwards<Result>(conversationId: string, action: () => Promise<Result>): Promise<Result>;
}

export function createLanes(): Lanes {
  /** Jobs of each lane that has work; the first one runs. */
  const lanes = new Map<string, Job[]>();
  let heldBytes = 0;
  let waiting = 0;

  function begin(conversationId: string, lane: Job[]): void {
    const [job] = lane;
    void job?.run().finally(() => {
      lane.shift();
      heldBytes -= job.bytes;
      const [next] = lane;
      if (next) {
        waiting--;
        begin(conversationId, lane);
      } else lanes.delete(conversationId);
    });
  }

  function checkBytes({ bytes }: Job): void {
    if (heldBytes + bytes > limits.agentQueuedBytes) throw overloaded("the messages that are being answered or wait are too long together");
  }

  function add(conversationId: string, job: Job): () => boolean {
    const lane = lanes.get(conversationId);
    if (!lane) {
      if (lanes.size >= limits.agentBusyLanes) throw overloaded(`${limits.agentBusyLanes} conversations have work`);
      // A short message can still be had from everybody.
      if (job.bytes > limits.agentLightBytes) checkBytes(job);
      heldBytes += job.bytes;
      const opened = [job];
      lanes.set(conversationId, opened);
      begin(conversationId, opened);
      return () => false;
    }
    if (lane.length > limits.agentQueuedTurns) throw overloaded(`${limits.agentQueuedTurns} messages wait in this conversation`);
    checkBytes(job);
    lane.push(job);
    waiting++;
    heldBytes += job.bytes;
    return () => {
      const at = lane.indexOf(job);
      if (at < 1) return false;
      lane.splice(at, 1);
      waiting--;
      heldBytes -= job.bytes;
      return true;
    };
  }

  function afterwards<Result>(conversationId: string, action: () => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      add(conversationId, { bytes: 0, run: () => action().then(resolve, reject) });
    });
  }

  return {
    get running() {
      return lanes.size;
    },
    get waiting() {
      return waiting;
    },
    add,
    isBusy: (conversationId) => lanes.has(conversationId),
    afterwards,
    alone(conversationId, action) {
      if (lanes.has(conversationId)) throw new HawserError("overloaded", "the conversation is busy; cancel its turn or wait for its end");
      return afterwards(conversationId, action);
    },
  };
}

const overloaded = (what: string): HawserError => new HawserError("overloaded", `${what} already; wait for an end, then try again`);
