// Reads what a stream holds now, up to a last message. That one may never come: another machine has removed it meanwhile, or a server
// was started again and has none of them. So silence is an error after a while, and never taken for the end.

import type { JsMsg, OrderedConsumerOptions } from "@nats-io/jetstream";
import { HawserError } from "@hawser/protocol";
import { fleetLimits } from "../limits.ts";
import type { Streams } from "./open-streams.ts";

/** Throws `connection_lost` when the last one does not come. The time that the reader takes does not count. */
export async function* readMessages(
  { client, readAhead }: Streams,
  stream: string,
  config: Partial<OrderedConsumerOptions>,
  isLast: (message: JsMsg) => boolean,
): AsyncGenerator<JsMsg> {
  const consumer = await client.consumers.get(stream, config);
  if ((await consumer.info(true)).num_pending === 0) return;
  const messages = await consumer.consume(readAhead());
  let timer: NodeJS.Timeout | undefined;
  const expectMore = (): void => void (timer = setTimeout(() => messages.stop(), fleetLimits.fleetSettleMs));
  expectMore();
  try {
    for await (const message of messages) {
      clearTimeout(timer);
      yield message;
      if (isLast(message)) return;
      expectMore();
    }
  } finally {
    clearTimeout(timer);
    messages.stop();
  }
  throw new HawserError("connection_lost", `the servers do not go on with what ${stream} holds; ask again`);
}
