// Connections to servers that ask who we are, with certificates and credentials that are made here.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { nkeys } from "@nats-io/transport-node";
import { beforeEach, describe, expect, it } from "vitest";
import { defineTool } from "@hawser/tools";
import { makeFolder, openFleet, openServer, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { createSelfSigned } from "../../../test/kit/self-signed.ts";
import { connectFleet, type Fleet, type FleetAddress } from "../src/connect.ts";
import { fleetLimits } from "../src/limits.ts";
import { createFleetCalls } from "../src/tools/call-tools.ts";
import { watchTools } from "../src/tools/live-tools.ts";
import { offerTools } from "../src/tools/offer-tools.ts";
import { createOperatorAccounts } from "./nats-accounts.ts";

beforeEach(skipWithoutServer);

function write(text: string, mode = 0o600): string {
  const path = join(makeFolder("secret"), "file");
  writeFileSync(path, text, { mode });
  return path;
}

/** A tool is offered and called over this connection, so that everything a fleet needs of it is used. */
async function callThrough(fleet: Fleet): Promise<unknown> {
  const tool = defineTool({ name: "hi", description: "Hi.", input: { type: "object" }, run: () => "hi" });
  const offered = await offerTools(fleet, { service: "hi", tools: [tool], version: "1.0.0", machine: "quay" });
  const { call, close } = createFleetCalls(fleet, "hi", await watchTools(fleet, "hi"));
  const signal = new AbortController().signal;
  const { result } = await call({ params: { name: "hi", arguments: {} }, signal, onProgress: () => {}, onLog: () => {} });
  close();
  await offered.stop();
  return result.content;
}
const said = [{ type: "text", text: "hi" }];

describe("a server with TLS", () => {
  async function openTls(more: string) {
    const identity = createSelfSigned();
    const ca = write(identity.cert);
    const tls = `tls { cert_file: "${ca}", key_file: "${write(identity.key)}", ${more} }`;
    const { address } = await openServer({ more: tls });
    return { servers: address.replace("nats:", "tls:"), ca };
  }

  it("is used when its certificate is signed by who was named, and refused otherwise", async () => {
    const { servers, ca } = await openTls("");
    expect(await callThrough(await openFleet({ address: servers }, "test", { ca }))).toEqual(said);
    await expect(connectFleet({ servers }, "test")).rejects.toMatchObject({
      code: "connection_failed",
      message: expect.stringContaining("--fleet-ca"),
    });
    const other = write(createSelfSigned().cert);
    await expect(connectFleet({ servers, ca: other }, "test")).rejects.toMatchObject({ code: "connection_failed" });
  });

  it("that does not speak TLS is not spoken to: what was asked for is not dropped", async () => {
    const { address } = await openServer();
    await expect(connectFleet({ servers: address.replace("nats:", "tls:") }, "test")).rejects.toMatchObject({ code: "connection_failed" });
  });

  it("that wants our certificate gets it, and refuses those without one", async () => {
    const ours = createSelfSigned();
    const [cert, key] = [write(ours.cert), write(ours.key)];
    const { servers, ca } = await openTls(`verify: true, ca_file: "${cert}"`);
    expect(await callThrough(await openFleet({ address: servers }, "test", { ca, cert, key }))).toEqual(said);
    // The server hangs up after the handshake, and the library waits for its time to be over.
    const { fleetConnectMs } = fleetLimits;
    Object.assign(fleetLimits, { fleetConnectMs: 300 });
    await expect(connectFleet({ servers, ca }, "test")).rejects.toMatchObject({ code: "connection_failed" });
    Object.assign(fleetLimits, { fleetConnectMs });
  });

  it("is not asked with half of a certificate, or with a key that others may read", async () => {
    const [cert, key] = [write("cert"), write("key", 0o644)];
    const refuse = (address: Omit<FleetAddress, "servers">) => connectFleet({ servers: "tls://127.0.0.1:1", ...address }, "test");
    await expect(refuse({ cert })).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("--fleet-key") });
    await expect(refuse({ key })).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("--fleet-cert") });
    await expect(refuse({ cert, key })).rejects.toMatchObject({ code: "usage", message: expect.stringContaining(`chmod 600 ${key}`) });
  });
});

describe("a server that asks who we are", () => {
  it.each([
    ["a user with a password", 'authorization { users: [{ user: ada, password: "pass:word" }] }', "ada:pass:word\n", "ada:wrong\n"],
    ["a token", "authorization { token: long-and-random }", "long-and-random", "another"],
  ])("takes %s from a file, and nothing else", async (_, more, right, wrong) => {
    const server = await openServer({ more });
    expect(await callThrough(await openFleet(server, "test", { credentials: write(right) }))).toEqual(said);
    const { address: servers } = server;
    for (const credentials of [undefined, write(wrong)])
      await expect(connectFleet({ servers, credentials }, "test")).rejects.toMatchObject({
        code: "usage",
        message: expect.stringContaining("--fleet-credentials"),
      });
  });

  it("takes an NKey, and reads answers only where its user may", async () => {
    const user = nkeys.createUser();
    const key = user.getPublicKey();
    const permissions = `permissions: { subscribe: ["hawser.>", "$SRV.>", "_INBOX.${key}.>"] }`;
    const server = await openServer({ more: `authorization { users: [{ nkey: ${key}, ${permissions} }] }` });
    const credentials = write(Buffer.from(user.getSeed()).toString("ascii"));
    expect(await callThrough(await openFleet(server, "test", { credentials }))).toEqual(said);
    const stranger = write(Buffer.from(nkeys.createUser().getSeed()).toString("ascii"));
    await expect(connectFleet({ servers: server.address, credentials: stranger }, "test")).rejects.toMatchObject({ code: "usage" });
  });

  it("takes a .creds file of an account that an operator has signed, and reads answers only where its user may", async () => {
    const accounts = createOperatorAccounts();
    const server = await openServer({ more: accounts.configuration });
    const fleet = await openFleet(server, "test", { credentials: write(accounts.credentials) });
    expect(fleet.createInbox()).toContain(`_INBOX.${accounts.user}.`);
    expect(await callThrough(fleet)).toEqual(said);
    const others = createOperatorAccounts();
    await expect(connectFleet({ servers: server.address, credentials: write(others.credentials) }, "test")).rejects.toMatchObject({
      code: "usage",
    });
  });

  it("does not get a seed with a mistake in it", async () => {
    const seed = Buffer.from(nkeys.createUser().getSeed()).toString("ascii");
    const credentials = write(`${seed.slice(0, 30)}${seed[30] === "A" ? "B" : "A"}${seed.slice(31)}`);
    await expect(connectFleet({ servers: "nats://127.0.0.1:1", credentials }, "test")).rejects.toMatchObject({
      code: "usage",
      message: expect.not.stringContaining(seed.slice(0, 20)),
    });
  });
});
