// Everything that the packages of Hawser use of this one. Not for users: what is here and not in the public entry may change
// in any release.

export * from "./index.ts";
export { createChangeLog } from "./changes/change-log.ts";
export { createWorkspaceChanges } from "./changes/workspace-changes.ts";
export { changeConfigFile, changedFile, type ConfigFiles } from "./config/change-config.ts";
export { agentConfigPath, keysPath } from "./config/config-file.ts";
export { toLiteralGlob } from "./tools/files/glob.ts";
export { realPathOf } from "./tools/files/permit.ts";
export { mergeEntries } from "./config/local-config.ts";
export { createKeyStore, type Keychain, type KeyStore } from "./keys/key-store.ts";
export { settingsLimits } from "./keys/limits.ts";
export { toWanted } from "./mcp/connect-servers.ts";
export { keyFrom, testKey } from "./keys/test-key.ts";
export { keyAddress, serverUrl } from "./model/vendors.ts";
export type { RuntimeSettings } from "./runtime/settings-answers.ts";
export { defaultDataFolder } from "./history/conversation-files.ts";
export type { ConversationLog, ConversationLogs } from "./history/conversation-log.ts";
export { createLogStore } from "./history/log-store.ts";
export { parseServers, type FolderConfig } from "./config/agent-config.ts";
export { loadFolderSettings, readModule } from "./config/folder-config.ts";
export { toQuestionLines } from "./question-lines.ts";
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
export { checkCommands } from "./tools/command/allowed-commands.ts";
export { toolKindOf, toolNames } from "./tools/tool-table.ts";
export { openInside, type OpenedFile } from "./tools/files/open-inside.ts";
export { createSandbox } from "./tools/sandbox/sandbox.ts";
export { checkDefaultRoot } from "./tools/files/roots.ts";
export { createFindFiles, type FindFiles } from "./tools/find-files.ts";
