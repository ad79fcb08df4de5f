// Calls over TLS: a certificate that is trusted carries them, and for every other one the call ends with
// the reason and what to do, before a byte of it is sent.

import { writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { startTlsStub, type ApiStub } from "../../../../test/kit/api-stub.ts";
import { canary, connectionKinds, freshHome, rawStubOf, stubOf } from "../core-fixture.ts";
import { line, startRpc } from "../rpc/rpc-process.ts";
import { createSelfSigned, type SelfSigned } from "../../../../test/kit/self-signed.ts";

async function tlsStubOf(identity: SelfSigned): Promise<ApiStub> {
  const stub = await startTlsStub(identity);
  onTestFinished(() => stub.close());
  return stub;
}

/** A process that trusts this certificate: Node reads the variable only when it starts. */
async function callTrusting(cert: string, gatewayUrl: string, createName: string) {
  const file = join(freshHome(), "authority.pem");
  writeFileSync(file, cert);
  const rpc = startRpc(["--gateway-url", gatewayUrl, "--connections", createName], { env: { NODE_EXTRA_CA_CERTS: file } });
  await rpc.write(line({ id: 1, op: "call", args: { path: "/x" } }) + line({ id: 2, op: "call", args: { path: "/x" } }));
  return rpc.count(2);
}

describe.each(connectionKinds)("TLS, with $kind", ({ coreOf, createName }) => {
  it("SEC-01 G13: a certificate that nobody trusts ends the call with code 7, the setting that helps, and not a byte of it sent", async () => {
    let connections = 0;
    let received = "";
    const server = createServer(createSelfSigned(), (socket) => {
      connections += 1;
      socket.on("error", () => undefined);
      socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const outcome = await coreOf(`https://127.0.0.1:${port}`).call({ path: "/x", retry: 3, retryBackoff: "1ms" });
    expect(outcome).toMatchObject({ ok: false, code: 7, errorInfo: { kind: "network", retryable: false } });
    expect(outcome.error).toBe(`network error: 127.0.0.1:${port}: certificate refused (DEPTH_ZERO_SELF_SIGNED_CERT)`);
    expect(outcome.errorInfo?.hint).toContain("NODE_EXTRA_CA_CERTS=");
    expect(JSON.stringify(outcome)).not.toContain(canary);
    expect({ connections: Math.min(connections, 1), received }).toEqual({ connections, received: "" });
  });

  it("R77: with its certificate in NODE_EXTRA_CA_CERTS the call works, and says how long each handshake took", async () => {
    const identity = createSelfSigned();
    const stub = await tlsStubOf(identity);
    const [first, second] = await callTrusting(identity.cert, stub.url, createName);
    expect(first).toMatchObject({ ok: true, code: 0, status: 200, data: { request: { url: `${stub.url}/x` } } });
    expect(first?.data.stats?.http?.tlsHandshakeMs).toBeGreaterThanOrEqual(0);
    expect(second).toMatchObject({ ok: true, code: 0 });
    expect("tlsHandshakeMs" in (second?.data.stats?.http ?? {})).toBe(createName === "createSingleConnections");
    expect(stub.requests.map(({ headers }) => headers["x-ignition-api-token"])).toEqual(["test-token", "test-token"]);
  });

  it.each([
    ["is for another address", { address: [127, 0, 0, 9] }, "ERR_TLS_CERT_ALTNAME_INVALID", "another name"],
    ["has expired", { notAfter: new Date(Date.now() - 86_400_000) }, "CERT_HAS_EXPIRED", "not valid at this time"],
  ] as const)("SEC-01: a trusted certificate that %s is refused, and the hint fits", async (_name, options, code, hint) => {
    const identity = createSelfSigned(options);
    const stub = await tlsStubOf(identity);
    for (const answer of await callTrusting(identity.cert, stub.url, createName)) {
      expect(answer).toMatchObject({ ok: false, code: 7, data: { errorInfo: { kind: "network", retryable: false } } });
      expect(answer.error).toContain(`certificate refused (${code})`);
      expect(answer.data.errorInfo?.hint).toContain(hint);
    }
    expect(stub.requests).toEqual([]);
  });

  it("https:// to a server without TLS, and http:// to one with it, end at once with what to check", async () => {
    const plain = await stubOf();
    const encrypted = await tlsStubOf(createSelfSigned());
    const toPlain = await coreOf(plain.url.replace("http:", "https:")).call({ path: "/x" });
    expect(toPlain).toMatchObject({ ok: false, code: 7, errorInfo: { kind: "network", retryable: false } });
    expect(toPlain.error).toContain("no TLS connection can be made");
    expect(toPlain.errorInfo?.hint).toContain("http://");
    expect(await coreOf(encrypted.url.replace("https:", "http:")).call({ path: "/x" })).toMatchObject({ ok: false, code: 7 });
    expect([...plain.requests, ...encrypted.requests]).toEqual([]);
  });

  it("RPC-13: a server that never ends its handshake costs a call its timeout and no more", async () => {
    const silent = await rawStubOf((socket) => void socket.resume());
    const outcome = await coreOf(silent.url.replace("http:", "https:")).call({ path: "/x", timeout: "200ms" });
    expect(outcome).toMatchObject({ ok: false, code: 7, errorInfo: { kind: "timeout" } });
  });
});
