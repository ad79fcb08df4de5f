// Everything that the packages of Hawser use of this one. Not for users: what is here and not in the public entry may change
// in any release.

export * from "./index.ts";
export {
  callEntry,
  itemOf,
  mayRepeat,
  toEntry,
  toItemLine,
  toRefusedOutcome,
  toUncalledLine,
  type ItemDefaults,
  type ItemLine,
} from "./batch/batch-item.ts";
export { readBatch, type BatchEntry } from "./batch/batch-source.ts";
export { createResultWriter } from "./batch/result-writer.ts";
export { toBatchCode } from "./batch/run-batch.ts";
export { changeConfig, configPath, loadConfig, type ConfigChange, type ConfigFile } from "./config/config-file.ts";
export { addProfile, listProfiles, maskToken, removeProfile, setValues, useProfile } from "./config/profiles.ts";
export { findProxy } from "./config/proxy.ts";
export { resolveTarget } from "./config/resolve-target.ts";
export { toSpecFile, type Target } from "./config/target.ts";
export { findApiDocument, loadApiIndex, loadCachedIndex, syncApiDocument } from "./document/load-index.ts";
export { createConnectionPool, createUndiciPool } from "./execute/connection-pool.ts";
export { toCallJson, type CallJson } from "./execute/outcome.ts";
export { createSingleConnections } from "./execute/single-connections.ts";
export type { OperationDescription, OperationIndex, OperationSummary } from "./openapi/operation.ts";
export { describeShape, fieldsOf, itemsOf, type Shape } from "./openapi/schema-shape.ts";
export { filterByPath, filterByPathPart, searchOperations, statsOf, tagsOf } from "./openapi/search.ts";
export { validateDocument } from "./openapi/parse-document.ts";
export { previewRequest, type RequestPreview } from "./preview-request.ts";
export { parseDuration } from "./request/duration.ts";
