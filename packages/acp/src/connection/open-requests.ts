// The requests of a peer that have no answer yet, counted with what they say. Ids may come twice: each answer ends one.

export interface RequestRoom {
  readonly entries: number;
  readonly chars: number;
}

export function createOpenRequests({ entries, chars }: RequestRoom) {
  /** The lengths of those with one id, in the order in which they came. */
  const open = new Map<unknown, number[]>();
  let openEntries = 0;
  let openChars = 0;

  return {
    /** False when there is no room for it. */
    enter(id: unknown, length: number): boolean {
      if (openEntries >= entries || openChars + length > chars) return false;
      openEntries++;
      openChars += length;
      const lengths = open.get(id);
      if (lengths) lengths.push(length);
      else open.set(id, [length]);
      return true;
    },
    leave(id: unknown): void {
      const lengths = open.get(id);
      const length = lengths?.shift();
      if (length === undefined) return;
      openEntries--;
      openChars -= length;
      if (lengths?.length === 0) open.delete(id);
    },
  };
}
