// `hawser rpc`: igw-rpc-v1 on stdin and stdout. Nothing is read from stdin before the flags are known
// to be right, and nothing of the API is touched before the first call.

import { createCallCore, serveRpc } from "@hawser/gateway";
import { ndjson, runStdio } from "@hawser/wire/node";
import { readVersion } from "../launcher.ts";
import { startDemoTarget } from "./demo-target.ts";
import { toGatewayOptions } from "./target-flags.ts";
import type { CoreFlags } from "./with-core.ts";

export interface RpcFlags extends CoreFlags {
  readonly workers?: number;
  readonly queueSize?: number;
  readonly overflow?: "block" | "reject";
}

export async function runRpc(flags: RpcFlags): Promise<void> {
  const given = await toGatewayOptions(flags);
  // Ends with the process; its folder may stay behind if that is killed.
  const demo = flags.demo ? await startDemoTarget(given) : undefined;
  const { includeHeaders, maxBody, workers, queueSize, overflow } = flags;
  const core = createCallCore({ ...(demo?.options ?? given), includeHeaders, maxBodyBytes: maxBody });
  return runStdio({
    codec: ndjson,
    async serve(transport, lifecycle) {
      await serveRpc(transport, core, { version: readVersion(), workers, queueSize, overflow, lifecycle });
      await core.close();
      await demo?.close();
    },
  });
}
