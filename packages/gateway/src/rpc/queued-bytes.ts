// How much text may wait at a time, and who waits until there is room again. A call that is larger than
// all of it fits when nothing else waits, so that nobody waits for ever.

export interface QueuedBytes {
  hasRoomFor(bytes: number): boolean;
  take(bytes: number): void;
  giveBack(bytes: number): void;
  /** Resolves at the next return of bytes; the caller looks again whether they are enough. */
  whenReturned(): Promise<void>;
}

export function createQueuedBytes(maxBytes: number): QueuedBytes {
  let used = 0;
  let returned: PromiseWithResolvers<void> | undefined;

  return {
    hasRoomFor: (bytes) => used === 0 || used + bytes <= maxBytes,
    take(bytes) {
      used += bytes;
    },
    giveBack(bytes) {
      used -= bytes;
      returned?.resolve();
      returned = undefined;
    },
    whenReturned: () => (returned ??= Promise.withResolvers<void>()).promise,
  };
}
