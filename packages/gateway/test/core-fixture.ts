// A call core with a home of its own, so that no configuration of the machine reaches a test. Cores,
// stubs and folders are closed and removed when the test ends.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { CallCore, GatewayOptions } from "../src/call.ts";
import { createCallCore } from "../src/create-call-core.ts";
import { createConnectionPool, createUndiciPool } from "../src/execute/connection-pool.ts";
import { createSingleConnections } from "../src/execute/single-connections.ts";
import { startApiStub, startRawStub, type ApiStub, type StubHandler, type StubServer } from "../../../test/kit/api-stub.ts";

/** Long enough to be searched for, with characters that every encoding changes. */
export const canary = 'canary+7f3c/9a"1e&zz=q';

export function freshHome(): string {
  const home = mkdtempSync(join(tmpdir(), "hawser-gateway-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

export type CoreOf = (gatewayUrl: string | undefined, options?: GatewayOptions) => CallCore;

const coreWith =
  (openConnections: typeof createConnectionPool): CoreOf =>
  (gatewayUrl, options) => {
    const home = freshHome();
    // More time than a call has by itself: on a busy machine eight seconds may pass before anything has happened.
    const all = { gatewayUrl, apiKey: canary, env: { HOME: home }, cwd: home, timeoutMs: 60_000, ...options };
    const core = createCallCore(all, openConnections);
    onTestFinished(() => core.close());
    return core;
  };

export const coreOf: CoreOf = coreWith(createConnectionPool);

/** What is promised of many calls is promised with both. */
export const pooledKinds = [
  { kind: "kept connections", createName: "createConnectionPool", open: createConnectionPool, coreOf },
  {
    kind: "kept connections of undici",
    createName: "createUndiciPool",
    open: createUndiciPool,
    coreOf: coreWith(createUndiciPool),
  },
] as const;

/** What is promised of one call is promised with all. */
export const connectionKinds = [
  ...pooledKinds,
  {
    kind: "a connection for each request",
    createName: "createSingleConnections",
    open: createSingleConnections,
    coreOf: coreWith(createSingleConnections),
  },
] as const;

export async function stubOf(handler?: StubHandler): Promise<ApiStub> {
  const stub = await startApiStub(handler);
  onTestFinished(() => stub.close());
  return stub;
}

export async function rawStubOf(...[onConnection]: Parameters<typeof startRawStub>): Promise<StubServer> {
  const stub = await startRawStub(onConnection);
  onTestFinished(() => stub.close());
  return stub;
}
