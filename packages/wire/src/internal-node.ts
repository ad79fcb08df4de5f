// Everything that the packages of Hawser use of this one and that needs Node. Not for users, as `internal.ts`.

export * from "./node.ts";
export { createAccumulator } from "./codec/codec.ts";
export { LENGTH_PREFIX_SIZE } from "./codec/length-prefix.ts";
export { serveEcho, type ServeEchoOptions } from "./echo/serve-echo.ts";
export { withFileLock } from "./files/file-lock.ts";
export {
  createPrivateFolder,
  isUnwritable,
  makeFolder,
  removeDrafts,
  replacePrivateFile,
  userFolder,
  type PrivateFolder,
} from "./files/private-folder.ts";
export { isTrustedOwner, temporaryFolder } from "./files/temporary-folder.ts";
export { logLine } from "./log.ts";
export { hawserCommand } from "./process/child.ts";
export { createHolderName, describeHolder, isSilent, judgeHolder, pidOfHolder, startBeat, staysSilent } from "./process/holder.ts";
export type { HolderState } from "./process/holder.ts";
export { createLifecycle, runUntilStopped, watchParent, type LifecycleControl } from "./process/lifecycle.ts";
export { createLastWords, describeExit, type LastWords } from "./process/owned-process.ts";
export { onProcessEnd } from "./process/process-end.ts";
export { runCachedProgram } from "./process/cached-program.ts";
export { changeFlag, keepGrownHeapSmall, keepHeapSmall, withOwnFlags, withSmallHeap } from "./process/small-heap.ts";
export { guardStdout, type StdoutGuard } from "./process/stdout-guard.ts";
export { createNoMore, serve, type ServeOptions } from "./serve.ts";
export { SCHEMA_FILE_PREFIX, SOCKET_FILE_PREFIX, SOCKET_FILE_SUFFIX, SOCKET_PERMISSIONS } from "./socket/names.ts";
