// The lines of an rpc host, for input that may be all mistakes: errors have no stack, which would take kilobytes for a line
// of two bytes, and equal mistakes in a row share one error.

import type { HawserError } from "@hawser/protocol";
import type { Incoming } from "@hawser/wire";
import { ndjson } from "@hawser/wire/node";

export const rpcCodec: typeof ndjson = {
  ...ndjson,
  createDecoder(options) {
    const decoder = ndjson.createDecoder(options);
    let last: HawserError | undefined;
    function shareError(item: Incoming): Incoming {
      if (item.kind === "message") return item;
      if (last?.message !== item.error.message) last = item.error;
      return { ...item, error: last };
    }
    return {
      push: (chunk) => withoutStacks(() => decoder.push(chunk)).map(shareError),
      end: () => decoder.end().map(shareError),
      get unfinishedBytes() {
        return decoder.unfinishedBytes ?? 0;
      },
      get isMidMessage() {
        return decoder.isMidMessage;
      },
    };
  },
};

/** The limit is global, so the work must be synchronous. */
function withoutStacks<Result>(work: () => Result): Result {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
