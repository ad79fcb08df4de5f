// A map that forgets: of more entries than it may hold, the one that was set longest ago goes first.

export function createRecentMap<Value>(maxEntries: number, onForgotten?: (key: string, value: Value) => void) {
  const entries = new Map<string, Value>();
  return {
    get: (key: string): Value | undefined => entries.get(key),
    set(key: string, value: Value): void {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries;
      if (entries.size <= maxEntries || !oldest) return;
      entries.delete(oldest[0]);
      onForgotten?.(...oldest);
    },
    delete: (key: string): boolean => entries.delete(key),
    values: (): IterableIterator<Value> => entries.values(),
  };
}
