// `hawser bridge --fleet`: the same MCP server, whose tools run on other machines instead of behind a socket.

import { join } from "node:path";
import { createFleetCalls, findServices, MachineError, watchTools, type Fleet, type LiveTools } from "@hawser/fleet/internal";
import { ParentError, serveBridge, toClientTools, type ParentResult, type PoolCall, type ToolPlace } from "@hawser/bridge/internal/process";
import { bridgeLimits } from "@hawser/bridge/internal/limits";
import { describeThrown, HawserError } from "@hawser/protocol";
import { createSemaphore, exceedsDepth, untilAborted, wireLimits } from "@hawser/wire/internal";
import { createPrivateFolder, logLine, type PrivateFolder } from "@hawser/wire/internal/node";
import { toAdvice } from "../command-line/failure.ts";
import type { FleetFlags } from "../fleet/flags.ts";
import { withFleet } from "../fleet/with-fleet.ts";

export interface FleetBridgeFlags extends FleetFlags {
  readonly service?: string;
  readonly connections?: number;
  readonly maxResultBytes?: number;
  readonly check?: boolean;
}

/** Owns the process until the client closes its input. A failure is told on stderr, with exit code 2. */
export async function runFleetBridge(flags: FleetBridgeFlags, version: string): Promise<void> {
  try {
    const { service, maxResultBytes = bridgeLimits.maxResultBytes } = flags;
    if (service === undefined) throw new HawserError("usage", "--fleet needs --service, the name under which the tools are offered");
    await withFleet(flags, `hawser bridge ${service}`, async (fleet) => {
      const tools = await watchTools(fleet, service);
      if (flags.check) return await check(fleet, service, tools);
      // For results that are too large for the client.
      const folder = createPrivateFolder("files");
      const place = toPlace(flags, { calls: createFleetCalls(fleet, service, tools), tools, folder });
      await serveBridge(place, { socketPath: join(folder.path, service), maxResultBytes }, version);
    });
  } catch (error) {
    logLine(`hawser: ${toAdvice(describeThrown(error), {}).message}`);
    process.exitCode = 2;
  }
}

/** Throws `connection_failed` when no machine is there. */
async function check(fleet: Fleet, service: string, { current, close }: LiveTools): Promise<void> {
  close();
  if (!current) throw new HawserError("connection_failed", describeMissing(service, await listOffered(fleet), fleet.servers));
  const { length } = current.schemas;
  logLine(`ok: ${length} ${length === 1 ? "tool" : "tools"} of "${service}" at ${fleet.servers}`);
}

const listOffered = async (fleet: Fleet): Promise<string[]> =>
  (await findServices(fleet)).filter(({ metadata }) => metadata["kind"] === "tools").map(({ name }) => name);

function describeMissing(service: string, others: readonly string[], servers: string): string {
  const there = others.length === 0 ? "no tools are offered there" : `there are: ${[...new Set(others)].toSorted().join(", ")}`;
  return `no machine offers "${service}" now; ${there}. See: hawser fleet status --fleet ${servers}`;
}

interface Behind {
  readonly calls: ReturnType<typeof createFleetCalls>;
  readonly tools: LiveTools;
  readonly folder: PrivateFolder;
}

function toPlace({ connections = bridgeLimits.bridgeConnections }: FleetBridgeFlags, { calls, tools, folder }: Behind): ToolPlace {
  let seen = tools.current;
  let current = toClientTools(seen?.schemas ?? []);
  const refresh = (): void => {
    if (tools.current === seen) return;
    seen = tools.current;
    current = toClientTools(seen?.schemas ?? []);
    for (const omission of current.omissions) logLine(`[hawser] ${omission}`);
  };
  return {
    isLive: true,
    toolList: {
      get current() {
        return current;
      },
      refresh,
      watch: (listener) =>
        tools.watch(() => {
          refresh();
          listener();
        }),
      close: () => tools.close(),
    },
    open({ stopping, whenRoom }) {
      const seats = createSemaphore(connections);
      stopping.addEventListener("abort", () => seats.close(stopping.reason as Error), { once: true });
      async function answerTo(call: PoolCall): Promise<ParentResult> {
        const { params, signal, client } = call;
        const seat = seats.tryAcquire() ?? (await seats.acquire(signal));
        try {
          const room = whenRoom();
          if (room) await untilAborted(signal, room);
          const onProgress: PoolCall["onProgress"] = (progress) => call.onProgress(progress);
          const { result, text } = await calls.call({ params, signal, client, onProgress, onLog: (log) => call.onLog(log) });
          return { result, bytes: Buffer.byteLength(text), isTooDeep: exceedsDepth(text, wireLimits.maxWriteDepth) };
        } catch (error) {
          // As a program behind a socket would have sent it.
          throw error instanceof MachineError ? new ParentError({ message: error.message, type: error.type }) : error;
        } finally {
          seat.release();
        }
      }
      return {
        privateDirectory: folder.path,
        call: (call) =>
          void answerTo(call).then(
            (answer) => call.onResult(answer),
            (error: unknown) => call.onFailure(error),
          ),
        close() {
          calls.close();
          folder.remove();
        },
      };
    },
  };
}
