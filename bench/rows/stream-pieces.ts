// Small messages from a child to its host over the child's stdout: how many arrive per second.
// Both children write every message on its own, and both wait when the pipe is full.

import { timeOf, type Contestant } from "../measure.ts";
import { createBareHost, createTransportHost, type RequestStream, type StreamRequest } from "../peers/stream-readers.ts";
import { startProgram } from "../program.ts";
import type { Row } from "../row.ts";

const count = 10_000;
const ours = "hawser echo protocol";
const bare = "bare write, split, JSON.parse";

export const streamPieces: Row = {
  name: "Stream from a child",
  async prepare(context) {
    const request: StreamRequest = { id: "stream-1", kind: "stream", count, bytes: 12 };
    const contestant = (name: string, requestStream: RequestStream): Contestant => ({
      name,
      async round() {
        let pieces = 0;
        const ms = await timeOf(async () => void (pieces = await requestStream(request)));
        if (pieces !== count) throw new Error(`${name} delivered ${pieces} of ${count} pieces`);
        return [(count / ms) * 1e3];
      },
    });
    return [
      {
        name: "Stream from a child over its stdout",
        work: `${count} pieces of 12 characters`,
        unit: "messages/s",
        ours,
        rounds: (usual) => usual * 4,
        contestants: [
          contestant(ours, createTransportHost(await startProgram(context, "stream-hawser"))),
          contestant(bare, createBareHost(await startProgram(context, "stream-bare"))),
        ],
        targets: [{ peer: bare, atLeast: 0.5 }],
      },
    ];
  },
};
