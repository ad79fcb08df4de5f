// A map for any number of entries that never stops the process to grow. JavaScript moves all entries of a map in one go
// when it doubles, which takes 100 ms for half a million of them. Here a full map stays as it is, and the next one begins.

const maxEntries = 250_000;

export class LargeMap<Key, Value> {
  readonly #maps = [new Map<Key, Value>()];

  get(key: Key): Value | undefined {
    for (const map of this.#maps) {
      const value = map.get(key);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  set(key: Key, value: Value): void {
    let map = this.#maps.find((one) => one.has(key)) ?? this.#maps.at(-1);
    if (map === undefined || (map.size >= maxEntries && !map.has(key))) this.#maps.push((map = new Map()));
    map.set(key, value);
  }

  *keys(): Generator<Key, void, void> {
    for (const map of this.#maps) yield* map.keys();
  }
}
