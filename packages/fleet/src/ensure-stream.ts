// Makes the streams of a fleet at first use. One that is there is taken as it is: an operator may have made it with other replicas or
// sizes.

import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager, type StreamConfig } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";

/** Servers that are a cluster can keep three copies; one that is alone can't. */
export const replicasAt = ({ info }: Pick<NatsConnection, "info">): number => (info?.cluster === undefined ? 1 : 3);

/** Makes it where it is missing. */
export async function ensureStream(
  manager: Pick<JetStreamManager, "streams">,
  connection: Pick<NatsConnection, "info">,
  config: Partial<StreamConfig> & { readonly name: string },
): Promise<void> {
  await manager.streams.info(config.name).catch(async (error: unknown) => {
    if (!isMissingStream(error)) throw error;
    await manager.streams.add({ ...config, num_replicas: replicasAt(connection) }).catch(ignoreExisting);
  });
}

const codeOf = (error: unknown): number => (error instanceof JetStreamApiError ? error.code : 0);

export const isMissingStream = (error: unknown): boolean => codeOf(error) === 10_059;

/** Somebody else has written since the sequence that a write was to follow. */
export const isWrongSequence = (error: unknown): boolean =>
  codeOf(error) === JetStreamApiCodes.StreamWrongLastSequence || codeOf(error) === JetStreamApiCodes.StreamWrongLastSequenceUnknown;

/** Another machine has made it at the same time. */
function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== 10_058) throw error;
}
