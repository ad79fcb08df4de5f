// igw-rpc-v1 as scenarios: a command that is told where an HTTP API is, requests on stdin, answers on stdout. We are its host and the
// API. What the contract doesn't ask for (cancel, a status on errors, the guard before mutations, operation ids) is additive.

import type { Suite } from "../scenario.ts";
import { rpcCallScenarios } from "./rpc-calls.ts";
import { rpcControlScenarios } from "./rpc-control.ts";
import { rpcEnvelopeScenarios } from "./rpc-envelope.ts";
import { rpcItemScenarios } from "./rpc-items.ts";
import { rpcLineScenarios } from "./rpc-lines.ts";
import { rpcLoadScenarios } from "./rpc-load.ts";

export const rpcSuite: Suite = {
  protocol: "rpc",
  version: "1.0.0",
  codec: "ndjson",
  subject: "rpc",
  probe: {
    send: { id: "probe", op: "hello" },
    expect: { id: "probe", ok: true, code: 0, data: { protocol: "igw-rpc-v1" } },
  },
  scenarios: [
    ...rpcEnvelopeScenarios,
    ...rpcLineScenarios,
    ...rpcCallScenarios,
    ...rpcItemScenarios,
    ...rpcLoadScenarios,
    ...rpcControlScenarios,
  ],
};
