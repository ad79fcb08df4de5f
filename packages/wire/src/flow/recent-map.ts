// A map that forgets: of more entries than it may hold, the one that was set longest ago goes first.

/** `onForgotten` is told of an entry that has gone by itself. */
export function createRecentMap<Value>(maxEntries: number, onForgotten?: (key: string, value: Value) => void) {
  const known = new Map<string, Value>();
  return {
    get: (key: string): Value | undefined => known.get(key),
    set(key: string, value: Value): void {
      known.delete(key);
      known.set(key, value);
      const [oldest] = known;
      if (known.size <= maxEntries || !oldest) return;
      known.delete(oldest[0]);
      onForgotten?.(...oldest);
    },
    delete: (key: string): boolean => known.delete(key),
    clear: (): void => known.clear(),
    /** The one that was set last comes last. */
    entries: (): IterableIterator<[string, Value]> => known.entries(),
  };
}
