// Waiting for something to come true: for an event of the outside world that nothing announces.

/** Looks again and again; throws when it does not come true within the time, which is generous: machines are shared. */
export async function until(isTrue: () => boolean | Promise<boolean>, withinMs = 150_000, what = String(isTrue)): Promise<void> {
  const endsAt = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > endsAt) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
