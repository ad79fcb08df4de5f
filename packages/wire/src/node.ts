// The part of the wire that needs Node: codecs on bytes, streams, sockets, processes.

export type { Codec, CodecOptions, Decoder } from "./codec/codec.ts";
export { lengthPrefix } from "./codec/length-prefix.ts";
export { ndjson } from "./codec/ndjson.ts";
export { startChild } from "./process/child.ts";
export type { AttachedChildOptions, Child, ChildOptions, PipedChild, PipedChildOptions } from "./process/child.ts";
export type { EndCause, Lifecycle, LifecycleControl } from "./process/lifecycle.ts";
export type { ChildExit, OwnedProcess } from "./process/owned-process.ts";
export { runStdio, type RunStdioOptions } from "./process/run-stdio.ts";
export { connectSocket, type ConnectOptions } from "./socket/connect.ts";
export { listenSocket, type Listener, type ListenOptions } from "./socket/listen.ts";
export { createSessionNames, type FixedNames, type NameOptions, type SessionNames } from "./socket/names.ts";
export { createSessionFiles, type SessionFiles } from "./socket/session-files.ts";
export { createStreamTransport, type StreamTransportOptions, type Tap } from "./transport/stream-transport.ts";
