// The call core of the gateway and its doors.

export { runBatch, type BatchOptions } from "./batch/run-batch.ts";
export type {
  CallCode,
  CallCore,
  CallErrorInfo,
  CallOptions,
  CallOutcome,
  CallResponse,
  FlagWords,
  GatewayOptions,
  OnBody,
} from "./call.ts";
export { createCallCore } from "./create-call-core.ts";
export { startDemoApi, type DemoApi, type DemoApiOptions } from "./demo/start-demo-api.ts";
export type { BatchLine } from "./execute/outcome.ts";
export { rpcCodec } from "./rpc/rpc-codec.ts";
export { serveRpc, type ServeRpcOptions } from "./rpc/serve-rpc.ts";
export { gatewayTools, type OperationSelection } from "./tools/gateway-tools.ts";
