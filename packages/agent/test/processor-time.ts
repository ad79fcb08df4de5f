// How much processor time something takes, for tests of work that must not grow without bound: unlike the time
// on the clock, it hardly depends on what else the machine has to do.

/** In milliseconds, of the whole process. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
