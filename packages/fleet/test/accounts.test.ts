// The example of accounts and permissions, on a real server: each role can do its work, and nothing of another role's or account's.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defineTool } from "@hawser/tools";
import { makeFolder, openFleet, openServer, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { createSelfSigned } from "../../../test/kit/self-signed.ts";
import type { Fleet } from "../src/connect.ts";
import { findServices } from "../src/discovery.ts";
import { fleetLimits } from "../src/limits.ts";
import type { FleetServer } from "../src/server/start-server.ts";
import { createFleetCalls } from "../src/tools/call-tools.ts";
import { watchTools } from "../src/tools/live-tools.ts";
import { offerTools } from "../src/tools/offer-tools.ts";

const examples = join(import.meta.dirname, "..", "..", "..", "examples", "fleet");
const accounts = readFileSync(join(examples, "accounts.conf"), "utf8");
for (const [, variable = ""] of accounts.matchAll(/\$(HAWSER_\w+_PASSWORD)/g)) process.env[variable] = `secret-of-${variable}`;
type Role = "tools" | "callers" | "runtimes" | "hosts" | "prompters" | "senders" | "workers" | "operators" | "office";

it("the configuration of a server in the examples is one that the server takes", async (context) => {
  skipWithoutServer(context);
  const folder = makeFolder("example");
  const identity = createSelfSigned();
  for (const [name, text] of Object.entries({ "fleet-1.pem": identity.cert, "ca.pem": identity.cert, "fleet-1.key": identity.key }))
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  writeFileSync(join(folder, "accounts.conf"), accounts);
  const server = readFileSync(join(examples, "server.conf"), "utf8").replaceAll("/etc/nats", folder);
  writeFileSync(join(folder, "server.conf"), server);
  const { status, stderr } = spawnSync(serverProgram, ["-c", join(folder, "server.conf"), "-t"], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, expect.stringContaining("is valid")]);
});

describe("the accounts of the example", () => {
  let server: FleetServer;
  const refusals = new Map<Fleet, string[]>();
  beforeEach(skipWithoutServer);
  beforeAll(async () => {
    if (serverProgram === "") return;
    server = await openServer({ more: accounts });
  });

  async function connectAs(role: Role): Promise<Fleet> {
    const credentials = join(makeFolder("role"), role);
    writeFileSync(credentials, `${role}:secret-of-HAWSER_${role.toUpperCase()}_PASSWORD\n`, { mode: 0o600 });
    const fleet = await openFleet(server, role, { credentials });
    const refused: string[] = [];
    fleet.onRefusal(({ subject }) => refused.push(subject));
    refusals.set(fleet, refused);
    return fleet;
  }

  /** Whether the server lets this role publish there. */
  async function maySay(fleet: Fleet, subject: string): Promise<boolean> {
    const before = refusals.get(fleet)?.length ?? 0;
    fleet.say(subject, "{}");
    await fleet.checkAllowed().catch(() => {});
    return (refusals.get(fleet)?.length ?? 0) === before;
  }

  /** Whether it may listen there. */
  async function mayHear(fleet: Fleet, subject: string): Promise<boolean> {
    const before = refusals.get(fleet)?.length ?? 0;
    const subscription = fleet.connection.subscribe(subject, { callback: () => {} });
    await fleet.checkAllowed().catch(() => {});
    subscription.unsubscribe();
    return (refusals.get(fleet)?.length ?? 0) === before;
  }

  const journal = { name: "HAWSER_JOURNAL", subjects: ["hawser.journal.*"] };
  const hello = defineTool({ name: "hello", description: "Hello.", input: { type: "object" }, run: () => "hello" });
  const offer = (fleet: Fleet, service = "plant") => offerTools(fleet, { service, tools: [hello], version: "1.0.0", machine: "quay" });
  const sayHello = async (fleet: Fleet): Promise<unknown> => {
    const { call, close } = createFleetCalls(fleet, "plant", await watchTools(fleet, "plant"));
    const signal = new AbortController().signal;
    return call({ params: { name: "hello", arguments: {} }, signal, onProgress: () => {}, onLog: () => {} }).finally(close);
  };

  it("let tools be offered, called and listed by their roles, and answers be read only by who asked", async () => {
    const [tools, callers, agents, operators] = await Promise.all([
      connectAs("tools"),
      connectAs("callers"),
      connectAs("runtimes"),
      connectAs("operators"),
    ]);
    const offered = await offer(tools);
    expect(await sayHello(callers)).toMatchObject({ result: { content: [{ text: "hello" }] } });
    expect(await sayHello(agents)).toMatchObject({ result: { content: [{ text: "hello" }] } });
    expect((await findServices(operators)).map(({ name }) => name)).toEqual(["plant"]);
    expect([tools, callers, agents, operators].flatMap((fleet) => refusals.get(fleet))).toEqual([]);
    for (const fleet of [tools, callers, agents, operators]) {
      expect(await mayHear(fleet, ">")).toBe(false);
      expect(await mayHear(fleet, "_INBOX.>")).toBe(false);
    }
    expect(await mayHear(callers, "_INBOX.runtimes.>")).toBe(false);
    operators.say("hawser.fleet.drain", "plant");
    await offered.drained;
    await offered.stop();
  });

  it("refuse who takes a role that is not theirs, at once and in words", async () => {
    const callers = await connectAs("callers");
    await expect(offer(callers)).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("does not allow it") });
    await expect(offer(await connectAs("tools"), "another")).rejects.toMatchObject({ code: "usage" });
    await expect(watchTools(await connectAs("senders"), "plant")).rejects.toMatchObject({ code: "usage" });
    expect(await maySay(await connectAs("tools"), "hawser.fleet.drain")).toBe(false);
    expect(await maySay(await connectAs("workers"), "hawser.batch.item.plant.0123456789abcdef.0")).toBe(false);
  });

  it("end a call that the server refuses at once, since nothing was sent", async () => {
    const offered = await offer(await connectAs("tools"));
    const callers = await connectAs("callers");
    const live = await watchTools(callers, "plant");
    // As if the permission had been taken away after the list was read.
    const { call } = createFleetCalls(callers, "plant", Object.create(live, { current: { value: { digest: "x.y", schemas: [] } } }));
    const signal = new AbortController().signal;
    await expect(call({ params: { name: "hello", arguments: {} }, signal, onProgress: () => {}, onLog: () => {} })).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining("does not allow it"),
    });
    await offered.stop();
  });

  it("let runtimes keep journals, events and leases, which hosts read as far as they need and cannot write", async () => {
    const [agents, hosts] = await Promise.all([connectAs("runtimes"), connectAs("hosts")]);
    const manager = await jetstreamManager(agents.connection);
    await manager.streams.add(journal);
    await manager.streams.add({ name: "HAWSER_EVENTS", subjects: ["hawser.events.*"], storage: "memory" });
    const client = jetstream(agents.connection);
    const leases = await new Kvm(client).create("HAWSER_LEASES", { ttl: 10_000, markerTTL: 10_000 });
    const revision = await leases.create("a", "one");
    await leases.update("a", "two", revision);
    await client.publish("hawser.journal.a", "record", { expect: { lastSubjectSequence: 0 } });
    await client.publish("hawser.events.a", "event");
    expect((await manager.streams.getMessage("HAWSER_JOURNAL", { last_by_subj: "hawser.journal.a" }))?.string()).toBe("record");
    const own = await client.consumers.get("HAWSER_JOURNAL", { filter_subjects: "hawser.journal.a" });
    expect((await own.next())?.string()).toBe("record");
    expect(refusals.get(agents)).toEqual([]);

    const hostsClient = jetstream(hosts.connection);
    const events = await hostsClient.consumers.get("HAWSER_EVENTS", { filter_subjects: "hawser.events.a" });
    expect((await events.next())?.string()).toBe("event");
    const seen = await new Kvm(hostsClient).open("HAWSER_LEASES");
    expect((await seen.get("a"))?.string()).toBe("two");
    expect(refusals.get(hosts)).toEqual([]);
    for (const subject of ["hawser.journal.a", "hawser.events.a", "$KV.HAWSER_LEASES.a", "$JS.API.STREAM.DELETE.HAWSER_EVENTS"])
      expect([subject, await maySay(hosts, subject)]).toEqual([subject, false]);
    for (const subject of ["hawser.agents.any", "hawser.agents.at.one"]) expect(await maySay(hosts, subject)).toBe(true);
    for (const subject of ["$JS.API.STREAM.MSG.GET.HAWSER_JOURNAL", "$JS.API.CONSUMER.CREATE.HAWSER_JOURNAL.x.y"])
      expect([subject, await maySay(hosts, subject)]).toEqual([subject, false]);
  });

  it("let a batch be sent and worked on, and its items be claimed by workers of their site only", async () => {
    const [senders, workers, callers] = await Promise.all([connectAs("senders"), connectAs("workers"), connectAs("callers")]);
    const manager = await jetstreamManager(senders.connection);
    await manager.streams.add({
      name: "HAWSER_BATCH_ITEMS",
      subjects: ["hawser.batch.head.*", "hawser.batch.item.>"],
      retention: "workqueue",
    });
    await manager.streams.add({ name: "HAWSER_BATCH_RESULTS", subjects: ["hawser.batch.result.>"], allow_direct: true });
    const client = jetstream(senders.connection);
    await client.publish("hawser.batch.head.b", "{}");
    await client.publish("hawser.batch.item.plant.b.0", "item");

    const workManager = await jetstreamManager(workers.connection);
    await workManager.consumers.add("HAWSER_BATCH_ITEMS", {
      durable_name: "site-plant",
      filter_subject: "hawser.batch.item.plant.>",
      ack_policy: "explicit",
    });
    const work = jetstream(workers.connection);
    const item = await (await work.consumers.get("HAWSER_BATCH_ITEMS", "site-plant")).next();
    expect(item?.string()).toBe("item");
    await work.publish("hawser.batch.result.b.0", "result", { expect: { lastSubjectSequence: 0 } });
    expect(await item?.ackAck()).toBe(true);
    const results = await client.consumers.get("HAWSER_BATCH_RESULTS", { filter_subjects: "hawser.batch.result.b.*" });
    expect((await results.next())?.string()).toBe("result");
    expect([senders, workers].flatMap((fleet) => refusals.get(fleet))).toEqual([]);
    expect(await maySay(workers, "$JS.API.CONSUMER.MSG.NEXT.HAWSER_BATCH_ITEMS.site-office")).toBe(false);
    expect(await maySay(callers, "$JS.API.CONSUMER.MSG.NEXT.HAWSER_BATCH_ITEMS.site-plant")).toBe(false);
  });

  it("are walls: another account hears nothing, calls nothing, reads nothing and claims nothing", async ({ onTestFinished }) => {
    const office = await connectAs("office");
    const heard: string[] = [];
    office.connection.subscribe(">", { callback: (_, { subject }) => void heard.push(subject) });
    await office.connection.flush();
    const [tools, callers, agents] = await Promise.all([connectAs("tools"), connectAs("callers"), connectAs("runtimes")]);
    const offered = await offer(tools);
    const ran = await sayHello(callers);
    expect(ran).toMatchObject({ result: { content: [{ text: "hello" }] } });
    // From here on nobody answers.
    const { fleetAskMs } = fleetLimits;
    Object.assign(fleetLimits, { fleetAskMs: 500 });
    onTestFinished(() => void Object.assign(fleetLimits, { fleetAskMs }));
    await expect(sayHello(office)).rejects.toMatchObject({ message: expect.stringContaining('no machine offers "plant" now') });
    expect(await findServices(office)).toEqual([]);
    const manager = await jetstreamManager(office.connection);
    expect((await manager.getAccountInfo()).streams).toBe(0);
    const agentsManager = await jetstreamManager(agents.connection);
    await agentsManager.streams.add(journal);
    await expect(manager.streams.info("HAWSER_JOURNAL")).rejects.toThrow("stream not found");
    await expect(new Kvm(jetstream(office.connection)).open("HAWSER_LEASES").then((bucket) => bucket.status())).rejects.toThrow(
      "stream not found",
    );
    await offered.stop();
    // Its own questions are all that it has heard.
    expect(heard.filter((subject) => /call|announce|journal|events|\$KV/.test(subject))).toEqual([]);
  });
});
