// Everything that the packages of Hawser use of this one. Not for users: what is here and not in the public entry may change
// in any release.

export * from "./index.ts";
export { toClientCommand, type ClientCommand } from "./parent/client-config.ts";
export { createInProcessServer, toClientNames, type InProcessServer } from "./parent/in-process-server.ts";
