// A call core for the length of one command: made from its flags, on the demo API if that was asked
// for, interrupted by Ctrl-C, and closed at the end.

import { createCallCore, type CallCore, type GatewayOptions } from "@hawser/gateway";
import { keepHeapSmall } from "@hawser/wire/node";
import { startDemoTarget } from "./demo-target.ts";
import { watchInterruption, type Interruption } from "./interruption.ts";
import { toGatewayOptions, type TargetFlags } from "./target-flags.ts";

export interface CoreFlags extends TargetFlags {
  readonly includeHeaders?: true;
  readonly maxBody?: number;
  /** What igw calls it; 0 is the default. */
  readonly maxBodyBytes?: number;
  readonly demo?: true;
}

type UseCore<Result> = (core: CallCore, interruption: Interruption) => Promise<Result>;

export const withCore = <Result>(flags: CoreFlags, use: UseCore<Result>, more: GatewayOptions = {}): Promise<Result> =>
  withTarget(flags, (target) => useCore({ ...target, ...toResponseOptions(flags), ...more }, use));

export const toResponseOptions = ({ includeHeaders, maxBody, maxBodyBytes }: CoreFlags): GatewayOptions => ({
  includeHeaders,
  maxBodyBytes: maxBody ?? (maxBodyBytes || undefined),
});

/** For a target that is known already. */
export async function useCore<Result>(options: GatewayOptions, use: UseCore<Result>): Promise<Result> {
  const interruption = watchInterruption();
  const core = createCallCore(options);
  try {
    return await use(core, interruption);
  } finally {
    await core.close();
    interruption.dispose();
  }
}

/** For what needs no core. */
export async function withTarget<Result>(flags: CoreFlags, use: (options: GatewayOptions) => Promise<Result>): Promise<Result> {
  keepHeapSmall();
  const given = await toGatewayOptions(flags);
  const demo = flags.demo ? await startDemoTarget(given) : undefined;
  try {
    return await use(demo?.options ?? given);
  } finally {
    await demo?.close();
  }
}
