// What the echo programs have in common: one argument, one line when they are ready, and an end
// when their input ends, so that none of them outlives the bench.

export function argument(): string {
  const [value] = process.argv.slice(2);
  if (value === undefined) throw new Error("this program is started by the bench, with one argument");
  return value;
}

export function serveUntilInputEnds(readyLine: string, close: () => Promise<void> | void): void {
  process.stdin.resume().once("end", () => {
    void Promise.resolve(close()).then(() => process.exit(0));
  });
  process.stdout.write(`${readyLine}\n`);
}
