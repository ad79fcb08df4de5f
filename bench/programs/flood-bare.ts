// Writes 300 MB to stdout at once and ignores that nobody takes them: how a program without
// backpressure fills its memory. Then it waits for the end of its input.

process.stdin.resume().once("end", () => process.exit(0));
const text = "x".repeat(65_536);
for (let written = 0, index = 0; written < 300_000_000; written += text.length, index++) {
  process.stdout.write(`${JSON.stringify({ id: "1", type: "piece", index, text })}\n`);
}
