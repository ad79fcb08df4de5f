// `hawser doctor --fleet` through the real program, against servers with different settings: what it promises is what they carry.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { addStream, makeFolder, openFleet, openServer, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { startApiStub } from "../../../test/kit/api-stub.ts";
import { createSelfSigned } from "../../../test/kit/self-signed.ts";
import { runHawser } from "./run-hawser.ts";

interface Report {
  readonly ok: boolean;
  readonly code?: number;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly skipped?: true; readonly message: string }[];
  readonly promises: readonly { readonly what: string; readonly holds: string; readonly why: string }[];
}

async function examine(...args: string[]): Promise<{ code: number | null; report: Report }> {
  const { code, stdout } = await runHawser(["doctor", "--json", ...args]);
  return { code, report: JSON.parse(stdout) as Report };
}

const checkOf = ({ checks }: Report, name: string) => checks.find((check) => check.name === name);
const promiseOf = ({ promises }: Report, words: string) => promises.find(({ what }) => what.includes(words));

beforeEach(skipWithoutServer);

describe.concurrent("hawser doctor --fleet", () => {
  it("promises what one server carries that syncs every write, and not more", async () => {
    const server = await openServer();
    const fleet = await openFleet(server);
    await addStream(fleet, { name: "HAWSER_JOURNAL", subjects: ["hawser.journal.*"] });
    await addStream(fleet, { name: "SOMEBODY_ELSES", subjects: ["x"] });
    const { code, report } = await examine("--fleet", server.address, "--fleet-monitor", server.monitor);
    expect([code, report.ok]).toEqual([0, true]);
    expect(checkOf(report, "fleet_version")?.message).toMatch(/^nats-server \d+\.\d+\.\d+$/);
    expect(checkOf(report, "fleet_servers")?.message).toBe("one server, alone");
    expect(checkOf(report, "fleet_sync")?.message).toContain("every write is synced at");
    expect(checkOf(report, "fleet_replicas")?.message).toBe("copies: HAWSER_JOURNAL 1");
    expect(promiseOf(report, "survives a crash")).toMatchObject({ holds: "yes", why: "sync_interval: always" });
    expect(promiseOf(report, "loss of one server")).toMatchObject({ holds: "no", why: "that takes three servers in a cluster" });
    expect(promiseOf(report, "8388608 bytes")).toMatchObject({ holds: "yes" });
    const { stdout } = await runHawser(["doctor", "--fleet", server.address, "--fleet-monitor", server.monitor]);
    expect(stdout).toContain(
      "promised\tWhat a conversation or batch has acknowledged survives a crash or power failure: sync_interval: always\n",
    );
    expect(stdout).toContain("not promised\tIt also survives the loss of one server with its disk");
  });

  it("fails where a server syncs only now and then, and says what is lost and what to do", async () => {
    const more = `jetstream { store_dir: ${JSON.stringify(join(makeFolder("lazy"), "data"))}, sync_interval: "2m" }`;
    const { address, monitor } = await openServer({ more });
    const { code, report } = await examine("--fleet", address, "--fleet-monitor", monitor);
    expect([code, report.ok, report.code]).toEqual([1, false, 1]);
    expect(checkOf(report, "fleet_sync")).toMatchObject({ ok: false, hint: expect.stringContaining("sync_interval: always") });
    expect(promiseOf(report, "survives a crash")).toMatchObject({ holds: "no", why: expect.stringContaining("lost with its power") });
  });

  it("says that it can't know where no report can be read, and promises nothing on it", async () => {
    const [{ address }, api] = [await openServer(), await startApiStub()];
    for (const monitor of ["http://127.0.0.1:1", api.url]) {
      const { code, report } = await examine("--fleet", address, "--fleet-monitor", monitor);
      expect(code).toBe(0);
      expect(checkOf(report, "fleet_sync")).toMatchObject({ skipped: true, message: expect.stringContaining("can't be known") });
      expect(promiseOf(report, "survives a crash")).toMatchObject({ holds: "unknown" });
    }
    await api.close();
  });

  it("says what works without JetStream, and that TLS protects what is said", async () => {
    const identity = createSelfSigned();
    const [cert, key] = [join(makeFolder("tls"), "cert.pem"), join(makeFolder("tls"), "key.pem")];
    writeFileSync(cert, identity.cert);
    writeFileSync(key, identity.key, { mode: 0o600 });
    const { address } = await openServer({ more: `jetstream: disabled\ntls { cert_file: "${cert}", key_file: "${key}" }` });
    const { code, report } = await examine("--fleet", address.replace("nats:", "tls:"), "--fleet-ca", cert);
    expect(code).toBe(0);
    expect(checkOf(report, "fleet_jetstream")).toMatchObject({ skipped: true, message: expect.stringContaining("tools work") });
    expect(promiseOf(report, "survives a crash")).toMatchObject({ holds: "no" });
    expect(promiseOf(report, "read on the way")).toMatchObject({ holds: "yes", why: "TLS" });
  });

  it("says what is wrong with an address, and with options that belong to another check", async () => {
    const failures = await Promise.all([
      runHawser(["doctor", "--fleet", "nats://127.0.0.1:1"]),
      runHawser(["doctor", "--fleet", "nats://127.0.0.1:1", "--demo"]),
      runHawser(["doctor", "--fleet", "nats://127.0.0.1:1", "--fleet-monitor", "8222"]),
      runHawser(["doctor", "--fleet-ca", "ca.pem", "--demo"]),
      // Of the usual servers: without a value, and before another option.
      runHawser(["doctor", "--fleet", "--path", "/x"]),
    ]);
    expect(failures.map(({ code, stderr }) => [code, stderr])).toEqual([
      [7, expect.stringContaining("fleet up")],
      [2, expect.stringContaining("--demo is about an API")],
      [2, expect.stringContaining("--fleet-monitor takes addresses")],
      [2, expect.stringContaining("--fleet-ca needs --fleet")],
      [2, expect.stringContaining("--path is about an API, and --fleet checks")],
    ]);
  });
});
