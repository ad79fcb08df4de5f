// Everything that the packages of Hawser use of this one. Not for users: what is here and not in the public entry may change
// in any release.

export * from "./index.ts";
export { createChangeLog } from "./changes/change-log.ts";
export { createWorkspaceChanges } from "./changes/workspace-changes.ts";
export { agentConfigPath } from "./config/config-file.ts";
export { defaultDataFolder } from "./history/conversation-files.ts";
export type { ConversationLog, ConversationLogs } from "./history/conversation-log.ts";
export { createLogStore } from "./history/log-store.ts";
export { parseServers, type FolderConfig } from "./config/agent-config.ts";
export { loadFolderSettings, readModule, toQuestionLines } from "./config/folder-config.ts";
export { bringsTexts, describeTexts } from "./guidance/brought-texts.ts";
export type { FileRules } from "./guidance/file-rules.ts";
export { createGuidance, type Guidance } from "./guidance/guidance.ts";
export { ownPlaces, type OwnPlaces } from "./guidance/guidance-places.ts";
export { createReadSkill } from "./guidance/read-skill.ts";
export { createTrustedFolders, type TrustedFolders } from "./permissions/trusted-folders.ts";
export { openRulesFile, type RulesFile } from "./permissions/rules-file.ts";
export { toCommandRule } from "./permissions/rules.ts";
export { parseRules } from "./rules/permission-rule.ts";
export { guardProcessFromTools, inForeignScope } from "./runtime/exit-guard.ts";
export { toolKindOf, toolNames } from "./tools/tool-table.ts";
export { openInside, type OpenedFile } from "./tools/files/open-inside.ts";
export { createSandbox } from "./tools/sandbox/sandbox.ts";
export { checkDefaultRoot } from "./tools/files/roots.ts";
export { createFindFiles, type FindFiles } from "./tools/find-files.ts";
