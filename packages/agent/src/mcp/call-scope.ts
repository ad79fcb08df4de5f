// What belongs to a call that is under way. The MCP client hands a transport messages without saying which
// call they belong to; the asynchronous context does.

import { AsyncLocalStorage } from "node:async_hooks";

export interface CallScope {
  progress(done: number, total?: number, message?: string): void;
  /** The answer to this call can't come any more. */
  fail(error: Error): void;
}

export const callScope = new AsyncLocalStorage<CallScope>();
