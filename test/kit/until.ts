// Waiting for something to come true, or to stand still: for an event that nothing announces.

/** Looks again and again; throws when it does not come true within the time, which is generous: machines are shared. */
export async function until(isTrue: () => boolean | Promise<boolean>, withinMs = 150_000, what = String(isTrue)): Promise<void> {
  const endsAt = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > endsAt) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Resolves with a count of this process that no longer grows: a hundred turns of its event loop, not a time. */
export async function whenStuck(count: () => number): Promise<number> {
  for (let before = -1; before !== count();) {
    before = count();
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  return count();
}
