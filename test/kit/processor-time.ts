// How long something takes, without the time in which the machine did something else.

/** Milliseconds of the processor that this thread needs for it. */
export function processorTimeOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
