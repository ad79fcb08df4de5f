// The part of the wire that needs Node: codecs on bytes, streams, sockets, processes.

export type { Codec, CodecOptions, Decoder } from "./codec/codec.ts";
export { LENGTH_PREFIX_SIZE, lengthPrefix } from "./codec/length-prefix.ts";
export { ndjson } from "./codec/ndjson.ts";
export { serveEcho } from "./echo/serve-echo.ts";
export type { ServeEchoOptions } from "./echo/serve-echo.ts";
export { logLine } from "./log.ts";
export { startChild } from "./process/child.ts";
export type { Child, ChildExit, ChildOptions } from "./process/child.ts";
export { createLifecycle, endOnSignals } from "./process/lifecycle.ts";
export type { EndCause, Lifecycle, LifecycleControl } from "./process/lifecycle.ts";
export { watchParent } from "./process/parent-watch.ts";
export { onProcessEnd } from "./process/process-end.ts";
export { runStdio } from "./process/run-stdio.ts";
export type { RunStdioOptions } from "./process/run-stdio.ts";
export { guardStdout } from "./process/stdout-guard.ts";
export type { StdoutGuard } from "./process/stdout-guard.ts";
export { connectSocket } from "./socket/connect.ts";
export type { ConnectOptions } from "./socket/connect.ts";
export { listenSocket } from "./socket/listen.ts";
export type { Listener, ListenOptions } from "./socket/listen.ts";
export { createSessionNames, SCHEMA_FILE_PREFIX, SOCKET_FILE_PREFIX, SOCKET_FILE_SUFFIX, SOCKET_PERMISSIONS } from "./socket/names.ts";
export type { NameOptions, SessionNames } from "./socket/names.ts";
export { createSessionFiles } from "./socket/session-files.ts";
export type { SessionFiles } from "./socket/session-files.ts";
export { createStreamTransport } from "./stream-transport.ts";
export type { StreamTransportOptions } from "./stream-transport.ts";
export type { Tap } from "./tap.ts";
