// `hawser rpc --fleet`: makes the calls of batches for one site, until it is told to stop. Address, document and token are this
// process's own; on the bus there are only items and results.

import { hostname } from "node:os";
import { serveSite, type ItemResult, type SiteCalls } from "@hawser/fleet/internal";
import {
  callEntry,
  createCallCore,
  mayRepeat,
  toEntry,
  toItemLine,
  toUncalledLine,
  type CallCore,
  type GatewayOptions,
} from "@hawser/gateway/internal";
import { HawserError } from "@hawser/protocol";
import { keepGrownHeapSmall, logLine, runUntilStopped, withSmallHeap } from "@hawser/wire/internal/node";
import { openTarget } from "../api-target/target.ts";
import { toFlag } from "../command-line/command.ts";
import { readVersion } from "../command-line/launcher.ts";
import { serveUntilTold } from "../fleet/serve-until-told.ts";
import { withFleet } from "../fleet/with-fleet.ts";
import type { RpcFlags } from "./run.ts";

export function runSite(flags: RpcFlags): Promise<void> {
  const { site, workers = 1, rate } = flags;
  if (site === undefined) throw new HawserError("usage", "--fleet needs --site: whose calls are made here");
  const misplaced = (["queueSize", "overflow"] as const).find((name) => flags[name] !== undefined);
  if (misplaced !== undefined) throw new HawserError("usage", `${toFlag(misplaced)} is not for --fleet: the queue is on the servers`);
  return runUntilStopped(async ({ stopping }) => {
    keepGrownHeapSmall();
    const target = await openTarget(flags);
    const core = createCallCore({ ...target.options, maxConnections: workers, aroundDocument: withSmallHeap });
    await withFleet(flags, `hawser rpc ${site}`, async (fleet) => {
      try {
        const worker = await serveSite(fleet, {
          site,
          workers,
          rate,
          version: readVersion(),
          machine: hostname(),
          createCalls: (maxLineBytes) => createCalls(core, target.options, site, maxLineBytes),
        });
        logLine(`hawser: makes the calls for "${site}" at ${fleet.servers} until Ctrl-C`);
        await serveUntilTold(fleet, stopping, worker);
      } finally {
        await core.close();
        await target.close();
      }
    });
  });
}

function createCalls(core: CallCore, options: GatewayOptions, site: string, maxBytes: number): SiteCalls {
  const line = { maxBytes, more: { site } };
  return {
    async call(item, defaults, signal): Promise<ItemResult> {
      const entry = toEntry(item.text, item.index);
      let written = (): void => {};
      const outcome = await callEntry(entry, core, defaults, { signal, whenWritten: (tell) => (written = tell) });
      return { ...toItemLine(entry, item.index, outcome, line), written: () => written() };
    },
    refuse: (item, reason) => toUncalledLine(item.text, item.index, reason, line),
    mayRepeat: (item) => mayRepeat(item.text, options),
  };
}
