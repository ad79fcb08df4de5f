// One NATS server of our own, on loopback, for trying a fleet out and for tests. It syncs every write, so that what it has
// acknowledged survives a power failure, and it ends with us.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HawserError } from "@hawser/protocol";
import { createLastWords, startChild, type PipedChild } from "@hawser/wire/internal/node";
import { fleetLimits } from "../limits.ts";

export interface ServerOptions {
  readonly program: string;
  /** For its configuration and its data; only its owner may enter it. */
  readonly folder: string;
  /** 0: any free one. */
  readonly port: number;
  /** Where it reports about itself; any free one unless given. */
  readonly monitorPort?: number | undefined;
  /** It ends also when we are killed. */
  readonly isGuarded?: boolean | undefined;
  readonly maxPayload?: number | undefined;
  /** More lines of its configuration, as NATS writes them. */
  readonly more?: string | undefined;
}

export interface FleetServer {
  /** As `--fleet` takes it. */
  readonly address: string;
  /** Where it reports about itself. */
  readonly monitor: string;
  readonly pid: number;
  readonly exited: PipedChild["exited"];
  stop(): Promise<void>;
}

const pollMs = 20;

/** Resolves when it listens. Throws `start_failed` with its last words. */
export async function startServer(options: ServerOptions): Promise<FleetServer> {
  const { program, folder, port } = options;
  const configuration = join(folder, "nats-server.conf");
  await writeFile(configuration, toConfiguration(options), { mode: 0o600 });
  const words = createLastWords();
  const child = await startChild({
    command: program,
    args: ["-c", configuration],
    stdio: "pipe",
    // It does not look at its input.
    stopInputMs: 0,
    ...(options.isGuarded && { ownsGroup: true, isGuarded: true }),
    onStderr: (chunk) => words.add(chunk),
  });
  child.stdout.resume();
  let exit: unknown;
  void child.exited.then((ended) => (exit = ended));
  const deadline = performance.now() + fleetLimits.fleetConnectMs;
  for (;;) {
    const ports = await readPorts(join(folder, `nats-server_${child.pid}.ports`));
    if (ports) return { ...ports, pid: child.pid, exited: child.exited, stop: async () => void (await child.stop()) };
    if (exit !== undefined || performance.now() > deadline) {
      await child.stop();
      throw new HawserError("start_failed", `the NATS server did not start on port ${port}: ${explain(words.text, port)}`);
    }
    await sleep(pollMs);
  }
}

/** Of its log, the line that says why it ended. */
function explain(log: string, port: number): string {
  const reason = /\[FTL\] (.*)/.exec(log)?.[1] ?? (log.trim() || "it said nothing");
  const taken = /:(\d+): bind: address already in use/.exec(reason)?.[1];
  if (taken === undefined) return reason;
  const which = taken === String(port) ? "it" : `port ${taken}, which it needs too,`;
  return `${which} is in use. Perhaps a NATS server is there already: use that one, or choose another port with --port`;
}

const toConfiguration = ({ folder, port, monitorPort = 0, maxPayload = 8_388_608, more = "" }: ServerOptions): string =>
  [
    `listen: "127.0.0.1:${port === 0 ? -1 : port}"`,
    `http: "127.0.0.1:${monitorPort === 0 ? -1 : monitorPort}"`,
    `ports_file_dir: ${JSON.stringify(folder)}`,
    `max_payload: ${maxPayload}`,
    `jetstream { store_dir: ${JSON.stringify(join(folder, "data"))}, sync_interval: always }`,
    more,
    "",
  ].join("\n");

/** Undefined while it isn't there whole. */
async function readPorts(path: string): Promise<Pick<FleetServer, "address" | "monitor"> | undefined> {
  try {
    const { nats, monitoring } = JSON.parse(await readFile(path, "utf8")) as { nats?: string[]; monitoring?: string[] };
    const [address] = nats ?? [];
    const [monitor] = monitoring ?? [];
    return address !== undefined && monitor !== undefined ? { address, monitor } : undefined;
  } catch {
    return undefined;
  }
}
