// What was said to a turn and the model has not seen: part of a transcript, counted with it.

import type { Steer } from "./record.ts";

export interface HeldSteer extends Steer {
  readonly bytes: number;
}

interface SteerHolder {
  steers: readonly HeldSteer[];
  bytes: number;
}

/** In the place of the one with the same id, or as the last one. */
export function holdSteer(holder: SteerHolder, { steerId, target, message }: Steer, bytes: number): void {
  const steer = { steerId, target, message, bytes };
  const at = holder.steers.findIndex((each) => each.steerId === steerId);
  holder.bytes += bytes - (holder.steers[at]?.bytes ?? 0);
  holder.steers = at === -1 ? [...holder.steers, steer] : holder.steers.with(at, steer);
}

/** The model has seen these, or they are not wanted any more. */
export function dropSteers(holder: SteerHolder, isDropped: (steerId: string) => boolean): void {
  const kept = holder.steers.filter(({ steerId }) => !isDropped(steerId));
  if (kept.length === holder.steers.length) return;
  for (const { steerId, bytes } of holder.steers) if (isDropped(steerId)) holder.bytes -= bytes;
  holder.steers = kept;
}
