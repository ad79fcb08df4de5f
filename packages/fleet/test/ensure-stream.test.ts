// The streams of a fleet as they are made at first use, and taken where they are there; with a real server that has none yet.

import { jetstreamManager, type StreamConfig } from "@nats-io/jetstream";
import { expect, it } from "vitest";
import { openBatchStreams } from "../src/batch/batch-streams.ts";
import { openStreams } from "../src/conversations/open-streams.ts";
import { ensureStream } from "../src/ensure-stream.ts";
import { openFleet, openServer, skipWithoutServer } from "../../../test/kit/nats-server.ts";

it("every stream has three copies where the servers are a cluster and one where there is one server, and stays as it was made", async (context) => {
  skipWithoutServer(context);
  const fleet = await openFleet(await openServer());
  await openStreams(fleet);
  await openBatchStreams(fleet);
  const manager = await jetstreamManager(fleet.connection);
  const configs: StreamConfig[] = [];
  for await (const { config } of manager.streams.list()) configs.push(config);
  expect(configs.map(({ num_replicas }) => num_replicas)).toEqual([1, 1, 1, 1, 1]);

  const made: object[] = [];
  const add = async (config: object) => void made.push(config);
  const inCluster = { streams: Object.create(manager.streams, { add: { value: add } }) };
  const info = { ...fleet.connection.info!, cluster: "plant" };
  for (const { name } of [...configs, { name: "NEW" }]) await ensureStream(inCluster, { info }, { name });
  expect(made).toEqual([{ name: "NEW", num_replicas: 3 }]);
});
