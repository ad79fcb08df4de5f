// A set of places in a batch, one bit for each: a million of them take 125 kB.

export interface IndexSet {
  readonly size: number;
  /** One more than the highest; 0 for none. */
  readonly end: number;
  has(index: number): boolean;
  /** False where it was there. */
  add(index: number): boolean;
}

const firstBytes = 1_024;

export function createIndexSet(): IndexSet {
  let bits = new Uint8Array(firstBytes);
  let size = 0;
  let end = 0;
  const has = (index: number): boolean => ((bits[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
  return {
    get size() {
      return size;
    },
    get end() {
      return end;
    },
    has,
    add(index) {
      if (has(index)) return false;
      const at = index >> 3;
      if (at >= bits.length) {
        const larger = new Uint8Array(Math.max(2 * bits.length, at + 1));
        larger.set(bits);
        bits = larger;
      }
      bits[at] = (bits[at] ?? 0) | (1 << (index & 7));
      size += 1;
      end = Math.max(end, index + 1);
      return true;
    },
  };
}
