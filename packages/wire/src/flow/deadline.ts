// Two clocks for one wait: `idleMs` without a sign of life, `totalMs` in all. Both are monotonic. A process that was itself stopped
// or busy does not blame its peer: before it expires, what already arrived is let in.

import { HawserError } from "@hawser/protocol";

export interface DeadlineOptions {
  readonly idleMs?: number | undefined;
  readonly totalMs?: number | undefined;
  onExpire(error: HawserError): void;
}

export interface Deadline {
  /** A sign of life: the idle clock starts again. */
  touch(): void;
  clear(): void;
}

// Node turns a longer delay into one millisecond.
const maxDelayMs = 2_147_483_647;

export function startDeadline(options: DeadlineOptions): Deadline {
  const { idleMs, totalMs } = options;
  const startedAt = performance.now();
  let touchedAt = startedAt;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isCleared = false;

  const idleLeft = (): number => (idleMs === undefined ? Infinity : touchedAt + idleMs - performance.now());
  const totalLeft = (): number => (totalMs === undefined ? Infinity : startedAt + totalMs - performance.now());

  function arm(): void {
    const left = Math.min(idleLeft(), totalLeft());
    if (left === Infinity) return;
    timer = setTimeout(look, Math.min(Math.max(Math.ceil(left), 1), maxDelayMs));
  }

  function look(): void {
    if (isCleared) return;
    if (idleLeft() > 0 && totalLeft() > 0) arm();
    // Timers run before input is read: one more turn of the loop lets in what is already there.
    else timer = setTimeout(expireUnlessTouched, 0, touchedAt);
  }

  function expireUnlessTouched(before: number): void {
    if (isCleared) return;
    if (totalLeft() > 0 && touchedAt !== before) return arm();
    isCleared = true;
    const isTotal = totalLeft() <= 0;
    const ms = isTotal ? totalMs : idleMs;
    const message = isTotal ? `no end within ${ms} ms` : `no sign of life for ${ms} ms`;
    options.onExpire(new HawserError("timeout", message, { facts: { clock: isTotal ? "total" : "idle", ms } }));
  }

  arm();
  return {
    touch() {
      touchedAt = performance.now();
    },
    clear() {
      isCleared = true;
      clearTimeout(timer);
    },
  };
}
