// The shell for programs: the local server that feeds the page, and supervises the runtime behind it.

export type { RuntimeFacts } from "./link/page-frames.ts";
export type { PageAddress } from "./server/http-server.ts";
export { startShell } from "./server/start-shell.ts";
export type { Shell, ShellOptions } from "./server/start-shell.ts";
