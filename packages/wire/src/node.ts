// The part of the wire that needs Node: codecs on bytes, streams, sockets, processes.

export type { Codec, CodecOptions, Decoder } from "./codec/codec.ts";
export { lengthPrefix } from "./codec/length-prefix.ts";
export { ndjson } from "./codec/ndjson.ts";
export { startChild } from "./process/child.ts";
export type { AttachedChildOptions, Child, ChildOptions, PipedChild, PipedChildOptions } from "./process/child.ts";
export type { EndCause, Lifecycle, LifecycleControl } from "./process/lifecycle.ts";
export type { ChildExit, OwnedProcess } from "./process/owned-process.ts";
export { runStdio } from "./process/run-stdio.ts";
export type { RunStdioOptions } from "./process/run-stdio.ts";
export { connectSocket } from "./socket/connect.ts";
export type { ConnectOptions } from "./socket/connect.ts";
export { listenSocket } from "./socket/listen.ts";
export type { Listener, ListenOptions } from "./socket/listen.ts";
export { createSessionNames } from "./socket/names.ts";
export type { FixedNames, NameOptions, SessionNames } from "./socket/names.ts";
export { createSessionFiles } from "./socket/session-files.ts";
export type { SessionFiles } from "./socket/session-files.ts";
export { createStreamTransport } from "./transport/stream-transport.ts";
export type { StreamTransportOptions, Tap } from "./transport/stream-transport.ts";
