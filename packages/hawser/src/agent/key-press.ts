// One key from the terminal, for answers that must be meant: what was typed before the question was shown
// does not count. The terminal is put back in order afterwards, whatever happens.

const typedAheadMs = 100;
const interruptKey = "\u0003";

/** The key in lower case, or `interrupt` for Ctrl-C; undefined when the signal aborts first or the input ends. */
export async function readKey(keys: readonly string[], signal: AbortSignal, ask: () => void): Promise<string | undefined> {
  const { stdin } = process;
  const answer = Promise.withResolvers<string | undefined>();
  let isAsked = false;
  function onData(chunk: Buffer | string): void {
    const key = String(chunk).slice(0, 1).toLowerCase();
    if (key === interruptKey) answer.resolve("interrupt");
    else if (isAsked && keys.includes(key)) answer.resolve(key);
  }
  const onEnd = (): void => answer.resolve(undefined);
  stdin.setRawMode(true);
  stdin.on("data", onData).on("end", onEnd).resume();
  signal.addEventListener("abort", onEnd, { once: true });
  let turn: NodeJS.Immediate | undefined;
  function askNow(): void {
    isAsked = true;
    ask();
  }
  // Timers run before input is read: where the process was busy all the while, what lies there is let in first.
  const timer = setTimeout(() => (turn = setImmediate(askNow)), typedAheadMs);
  try {
    return await answer.promise;
  } finally {
    clearTimeout(timer);
    clearImmediate(turn);
    signal.removeEventListener("abort", onEnd);
    stdin.off("data", onData).off("end", onEnd).pause();
    stdin.setRawMode(false);
  }
}
