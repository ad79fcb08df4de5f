// `hawser rpc`: igw-rpc-v1 on stdin and stdout. Nothing is read from stdin before the flags are known
// to be right, and nothing of the API is touched before the first call.

import { createCallCore, rpcCodec, serveRpc } from "@hawser/gateway";
import { HawserError } from "@hawser/protocol";
import { runStdio, withSmallHeap } from "@hawser/wire/internal/node";
import { openTarget, type TargetFlags } from "../api-target/target.ts";
import { toFlag } from "../command-line/command.ts";
import { readVersion } from "../command-line/launcher.ts";
import { checkFleetFlags, type FleetFlags } from "../fleet/flags.ts";

export interface RpcFlags extends TargetFlags, FleetFlags {
  readonly workers?: number;
  readonly queueSize?: number;
  readonly overflow?: "block" | "reject";
  readonly site?: string;
  /** Calls per second. */
  readonly rate?: number;
}

export async function runRpc(flags: RpcFlags): Promise<void> {
  if (flags.apiKeyStdin)
    throw new HawserError(
      "usage",
      "--api-key-stdin: stdin carries the protocol here; give the token with --api-key-file, IGNITION_API_TOKEN or the configuration",
    );
  const lonely = (["site", "rate"] as const).find((name) => flags[name] !== undefined);
  if (lonely !== undefined) throw new HawserError("usage", `${toFlag(lonely)} requires --fleet`);
  checkFleetFlags(flags);
  const target = await openTarget(flags);
  const { workers, queueSize, overflow } = flags;
  const core = createCallCore({ ...target.options, maxConnections: workers, aroundDocument: withSmallHeap });
  return runStdio({
    codec: rpcCodec,
    // What is read ahead is counted by the server: nothing more waits on the way to it.
    maxUnreadChars: 0,
    gathersTurn: true,
    async serve(transport, lifecycle) {
      await serveRpc(transport, core, { version: readVersion(), workers, queueSize, overflow, lifecycle });
      await core.close();
      await target.close();
    },
  });
}
