// The call core of the gateway and its doors.

export { runBatch } from "./batch/run-batch.ts";
export type { BatchOptions } from "./batch/run-batch.ts";
export type { CallCode, CallCore, CallErrorInfo, CallOptions, CallOutcome, CallResponse, GatewayOptions, OnBody } from "./call.ts";
export { changeConfig, configPath, loadConfig } from "./config/config-file.ts";
export type { ConfigFile, ConfigValues } from "./config/config-file.ts";
export { findProxy } from "./config/proxy.ts";
export { addProfile, listProfiles, maskToken, removeProfile, setValues, useProfile } from "./config/profiles.ts";
export type { ConfigChange, ProfileSummary } from "./config/profiles.ts";
export { findTarget, resolveTarget } from "./config/resolve-target.ts";
export { toDocumentUrl, toSpecFile } from "./config/target-values.ts";
export type { AuthPlacement, Target } from "./config/target.ts";
export { createCallCore } from "./create-call-core.ts";
export { startDemoApi } from "./demo/start-demo-api.ts";
export type { DemoApi, DemoApiOptions } from "./demo/start-demo-api.ts";
export { toCallJson } from "./execute/answers.ts";
export type { BatchLine, CallJson } from "./execute/answers.ts";
export { openGatewaySource } from "./gateway-source.ts";
export { loadApiIndex, loadCachedIndex } from "./load-api-index.ts";
export { syncDocument } from "./openapi/fetch-document.ts";
export type { GatewaySource, SyncedDocument } from "./openapi/fetch-document.ts";
export { documentFiles, loadIndex } from "./openapi/load-index.ts";
export type { IndexOptions } from "./openapi/load-index.ts";
export type {
  OperationDescription,
  OperationIndex,
  OperationSummary,
  Parameter,
  RequestBodyMedia,
  SecurityScheme,
} from "./openapi/operation.ts";
export { describeShape, fieldsOf, itemsOf } from "./openapi/schema-shape.ts";
export type { Shape } from "./openapi/schema-shape.ts";
export { filterByPath, filterByPathPart, searchOperations, statsOf, tagsOf } from "./openapi/search.ts";
export type { OperationStats } from "./openapi/search.ts";
export { validateDocument } from "./openapi/validate-document.ts";
export type { DocumentValidation } from "./openapi/validate-document.ts";
export { previewRequest } from "./preview-request.ts";
export type { RequestPreview } from "./preview-request.ts";
export { checkPlace } from "./request/check-item.ts";
export { parseDuration } from "./request/duration.ts";
export { rpcCodec } from "./rpc/rpc-codec.ts";
export { serveRpc } from "./rpc/serve-rpc.ts";
export type { ServeRpcOptions } from "./rpc/serve-rpc.ts";
export { gatewayTools } from "./tools/gateway-tools.ts";
export type { OperationSelection } from "./tools/select-operations.ts";
