// Notices that this process stood still for a while: it was frozen, or its machine slept. What has waited for it then is old.

const tickMs = 250;

export function watchStalls(stallMs: number) {
  let tickedAt = performance.now();
  let freshFrom = 0;

  function look(): void {
    const now = performance.now();
    // What has come meanwhile is read within the next moment.
    if (now - tickedAt > stallMs) freshFrom = now + 4 * tickMs;
    tickedAt = now;
  }

  const timer = setInterval(look, tickMs);
  timer.unref();
  return {
    /** Whether what arrives now may have waited for longer than that. */
    isAfterStall(): boolean {
      look();
      return performance.now() < freshFrom;
    },
    stop: (): void => clearInterval(timer),
  };
}
