// What the other packages of Hawser use of this one. Not for users: it may change in any release.

export * from "./index.ts";
export { toClientCommand, type ClientCommand } from "./parent/client-config.ts";
export { createInProcessServer, toClientNames, type InProcessServer } from "./parent/in-process-server.ts";
