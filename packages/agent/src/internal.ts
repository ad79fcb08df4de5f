// Everything that the packages of Hawser use of this one. Not for users: what is here and not in the public entry may change
// in any release.

export * from "./index.ts";
export { agentConfigPath } from "./config/config-file.ts";
export { defaultDataFolder } from "./history/conversation-files.ts";
export { parseServers, type FolderConfig } from "./config/agent-config.ts";
export { loadFolderSettings, readModule } from "./config/folder-config.ts";
export { createTrustedFolders, type TrustedFolders } from "./permissions/trusted-folders.ts";
export { openRulesFile, type RulesFile } from "./permissions/rules-file.ts";
export { toCommandRule } from "./permissions/rules.ts";
export { parseRules } from "./rules/permission-rule.ts";
export { guardProcessFromTools, inForeignScope } from "./runtime/exit-guard.ts";
export { toolKindOf, toolNames } from "./tools/tool-table.ts";
export { openInside, type OpenedFile } from "./tools/files/open-inside.ts";
export { checkDefaultRoot } from "./tools/files/roots.ts";
