// One more message in a conversation: a record on the fleet's server, which syncs it and refuses everybody but the owner, beside the same
// record in a file. Without a server there is nothing to measure.

import { createFileStore } from "../../packages/agent/src/index.ts";
import { createLogStore } from "../../packages/agent/src/internal.ts";
import { connectFleet } from "../../packages/fleet/src/connect.ts";
import { createConversationLogs } from "../../packages/fleet/src/conversations/conversation-logs.ts";
import { openStreams } from "../../packages/fleet/src/conversations/open-streams.ts";
import { findServer } from "../../packages/fleet/src/server/find-server.ts";
import { startServer } from "../../packages/fleet/src/server/start-server.ts";
import type { ConversationStore } from "../../packages/agent/src/index.ts";
import type { Contestant } from "../measure.ts";
import { createTemporaryDirectory } from "../program.ts";
import type { Row, RowContext } from "../row.ts";

const ours = "a fenced record on a server that syncs";
const file = "a record in a file";
const appends = 200;

async function openShared(context: RowContext): Promise<ConversationStore> {
  const server = await startServer({ program: await findServer(), folder: createTemporaryDirectory(context), port: 0 });
  context.defer(() => server.stop());
  const fleet = await connectFleet({ servers: server.address }, "bench");
  context.defer(() => fleet.close());
  const logs = createConversationLogs(fleet, await openStreams(fleet), { runtime: "bench", machine: "bench", onLost: () => {} });
  const store = createLogStore({ logs, onNotice: () => {}, onInterrupted: () => {} });
  context.defer(() => store.close());
  return store;
}

/** The time of each record. */
async function contest(name: string, store: ConversationStore): Promise<Contestant> {
  let made = 0;
  return {
    name,
    async round() {
      const conversation = await store.open(`c${++made}`);
      const times: number[] = [];
      for (let at = 0; at < appends; at++) {
        const from = performance.now();
        await conversation.add({ messageId: `m${at}`, role: "user", parts: [{ type: "text", text: "all hands on deck" }], timestamp: at });
        times.push(performance.now() - from);
      }
      await conversation.close();
      return times;
    },
  };
}

export const fencedAppend: Row = {
  name: "fenced append",
  async prepare(context) {
    const inFiles = createFileStore({ folder: createTemporaryDirectory(context), onNotice: () => {} });
    context.defer(() => inFiles.close());
    return [
      {
        name: "one more record of a conversation",
        work: `${appends} short messages, one after the other`,
        unit: "ms",
        ours,
        contestants: [await contest(ours, await openShared(context)), await contest(file, inFiles)],
        targets: [{ atMost: 5 }],
      },
    ];
  },
};
