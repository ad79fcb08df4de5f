// A leaf node, as an operator runs it at a site that can connect to the others and can't be connected to: what is behind it is part of the
// fleet, and comes back by itself after the way between them was gone.

import { beforeEach, expect, it } from "vitest";
import { defineTool } from "@hawser/tools";
import { makeFolder, openFleet, openServer, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { until } from "../../../test/kit/until.ts";
import { readReport } from "../src/server/server-report.ts";
import { createFleetCalls } from "../src/tools/call-tools.ts";
import { watchTools } from "../src/tools/live-tools.ts";
import { offerTools } from "../src/tools/offer-tools.ts";

beforeEach(skipWithoutServer);

it("tools behind a leaf node are those of the fleet, and are there again after its server was killed", async () => {
  const hub = await openServer({ more: 'leafnodes { listen: "127.0.0.1:-1" }' });
  const { port } = (await readReport(hub.monitor, "/varz"))["leaf"] as { port: number };
  const leafOptions = {
    folder: makeFolder("leaf"),
    more: `jetstream: disabled\nleafnodes { reconnect: 1, remotes: [{ url: "nats-leaf://127.0.0.1:${port}" }] }`,
  };
  const leaf = await openServer(leafOptions);
  const [office, site] = [await openFleet(hub, "office"), await openFleet(leaf, "site")];
  await until(async () => (await readReport(hub.monitor, "/varz"))["leafnodes"] === 1);
  let runs = 0;
  const weigh = defineTool({ name: "weigh", description: "Weighs.", input: { type: "object" }, run: () => `weighed ${++runs}` });
  await offerTools(site, { service: "scale", tools: [weigh], version: "1.0.0", machine: "quay" });
  const live = await watchTools(office, "scale");
  await until(() => live.current !== undefined);
  const { call } = createFleetCalls(office, "scale", live);
  const weighOnce = async (): Promise<unknown> => {
    const { signal } = new AbortController();
    return call({ params: { name: "weigh", arguments: {} }, signal, onProgress: () => {}, onLog: () => {} });
  };
  expect(await weighOnce()).toMatchObject({ result: { content: [{ text: "weighed 1" }] } });

  process.kill(leaf.pid, "SIGKILL");
  await leaf.exited;
  // Nothing was sent to a machine that is not there.
  await until(async () => (await weighOnce().catch((error: { code: string }) => error.code)) === "connection_failed");
  const before = runs;
  await openServer({ ...leafOptions, port: Number(new URL(leaf.address).port) });
  await until(async () => typeof (await weighOnce().catch(() => undefined)) === "object");
  expect(runs).toBe(before + 1);
});
