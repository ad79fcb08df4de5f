// The tour, step five: a reader that stops reading. The child must wait for it, not pile up.

import { readMemory } from "./memory.ts";
import type { EchoChild, Stage } from "./stage.ts";
import { formatMegabytes, pause, settleCode } from "./timing.ts";

const pieces = 40_000;
const pieceBytes = 50_000;
const stallMs = 800;
const maxGrowthBytes = 32_000_000;

export async function showBackpressure(stage: Stage, { child, client }: EchoChild): Promise<void> {
  stage.title("A reader that stops reading");
  let received = 0;
  const before = await readMemory(child.pid);
  const resume = client.haltReading();
  const onPiece = (): void => void received++;
  const end = settleCode(client.call({ kind: "stream", count: pieces, bytes: pieceBytes }, { id: "flood", onPiece }));
  await pause(stallMs);
  const during = await readMemory(child.pid);
  stage.fact(`asked for ${formatMegabytes(pieces * pieceBytes)} and read nothing for ${stallMs} ms`);
  const cancelled = client.call({ kind: "cancel", target: "flood" });
  resume();
  await cancelled;
  const code = await end;
  const isBounded = before === undefined || during === undefined || during - before < maxGrowthBytes;
  if (before !== undefined && during !== undefined) {
    stage.fact(`the child's memory: ${formatMegabytes(before)} before, ${formatMegabytes(during)} while nobody read`);
  } else {
    stage.fact("the child's memory can't be read on this system");
  }
  stage.fact(`cancelled it and read on: ${received} of ${pieces} pieces came, then its end`);
  stage.prove("a slow reader slows its writer down and fills no memory", isBounded && code === "cancelled" && received < pieces / 2);
}
