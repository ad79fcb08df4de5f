// Everything that the packages of Hawser use of this one. Not for users: what is here and not in the public entry may change
// in any release.

export * from "./index.ts";
export { changeConfig, configPath, loadConfig } from "./config/config-file.ts";
export type { ConfigFile, ConfigValues } from "./config/config-file.ts";
export { addProfile, listProfiles, maskToken, removeProfile, setValues, useProfile } from "./config/profiles.ts";
export type { ConfigChange, ProfileSummary } from "./config/profiles.ts";
export { findProxy } from "./config/proxy.ts";
export { resolveTarget } from "./config/resolve-target.ts";
export { toSpecFile } from "./config/target.ts";
export type { AuthPlacement, Target } from "./config/target.ts";
export type { GatewaySource, SyncedDocument } from "./document/fetch-document.ts";
export { findApiDocument, loadApiIndex, loadCachedIndex, loadIndex, syncApiDocument } from "./document/load-index.ts";
export type { IndexOptions } from "./document/load-index.ts";
export { toCallJson } from "./execute/answers.ts";
export type { CallJson } from "./execute/answers.ts";
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
export { parseDuration } from "./request/duration.ts";
