// What the other packages of Hawser use of this one. Not for users: it may change in any release.

export * from "./index.ts";
export { toBoundedText, toProgress } from "./contract/notes.ts";
export { toClientCommand, type ClientCommand } from "./parent/client-config.ts";
export { createContractTools, type ContractTools } from "./parent/contract-tools.ts";
export { createInProcessServer, toClientNames, type InProcessServer } from "./parent/in-process-server.ts";
