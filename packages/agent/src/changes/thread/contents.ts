// Contents by their hash, each once, in files that hold many: one for each look at a tree that found something new. A file is written
// whole before anything names it, and what is read from it is compared with its hash. Bounded in all; what has no room is not kept.

import { hash, randomUUID } from "node:crypto";
import { closeSync, openSync, readdirSync, readSync, renameSync, rmSync, writevSync } from "node:fs";
import { join } from "node:path";

interface Place {
  readonly pack: string;
  readonly offset: number;
  readonly length: number;
}

/** As the log names it: what a file holds, in order. */
export interface PackRecord {
  readonly pack: string;
  readonly items: readonly (readonly [id: string, offset: number, length: number])[];
}

export type Contents = ReturnType<typeof createContents>;

const ending = ".pack";
const batchBytes = 4_194_304;

export const idOf = (bytes: Uint8Array): string => hash("sha256", bytes);

export function createContents(folder: string, maxBytes: number) {
  const places = new Map<string, Place>();
  let heldBytes = 0;
  let open: ReturnType<typeof createPack> | undefined;

  function know({ pack, items }: PackRecord): void {
    for (const [id, offset, length] of items) {
      if (!places.has(id)) heldBytes += length;
      places.set(id, { pack, offset, length });
    }
  }

  function get(id: string): Buffer | undefined {
    const place = places.get(id);
    if (!place) return undefined;
    const bytes = readPart(join(folder, place.pack), place);
    return bytes && idOf(bytes) === id ? bytes : undefined;
  }

  return {
    know,
    get,
    has: (id: string): boolean => places.has(id),
    get heldBytes(): number {
      return heldBytes;
    },
    /** Its id; undefined where it has no room. It is kept once `flush` has returned. */
    put(bytes: Buffer): string | undefined {
      const id = idOf(bytes);
      if (places.has(id)) return id;
      if (heldBytes + bytes.length > maxBytes) return undefined;
      open ??= createPack(folder);
      places.set(id, { pack: open.name, offset: open.add(id, bytes), length: bytes.length });
      heldBytes += bytes.length;
      return id;
    },
    /** What the log has to know of what was put since the last time. */
    flush(): PackRecord | undefined {
      const record = open?.end();
      open = undefined;
      return record;
    },
    /** Copies what is still wanted out of files that are mostly unwanted. Returns the files that there are then, and those that may be removed once the log says so. */
    collect(isWanted: (id: string) => boolean): { readonly records: PackRecord[]; readonly unused: readonly string[] } {
      const packs = byPack(places);
      const unused: string[] = [];
      const records: PackRecord[] = [];
      const fresh = createPack(folder);
      for (const [pack, items] of packs) {
        const wanted = items.filter(([id]) => isWanted(id));
        if (sizeOf(wanted) * 2 > sizeOf(items)) {
          records.push({ pack, items });
          continue;
        }
        unused.push(pack);
        for (const [id, offset, length] of wanted) {
          const bytes = readPart(join(folder, pack), { offset, length });
          if (bytes) fresh.add(id, bytes);
        }
      }
      const copied = fresh.end();
      if (copied) records.push(copied);
      places.clear();
      heldBytes = 0;
      for (const record of records) know(record);
      return { records, unused };
    },
    remove(packs: readonly string[]): void {
      for (const pack of packs) rmSync(join(folder, pack), { force: true });
    },
    /** What a killed process left behind: nothing names it. */
    sweep(): void {
      const known = new Set(Array.from(places.values(), ({ pack }) => pack));
      for (const name of readdirSync(folder)) if (isPack(name) && !known.has(name)) rmSync(join(folder, name), { force: true });
    },
  };
}

const isPack = (name: string): boolean => name.endsWith(ending) || name.endsWith(`${ending}.draft`);

const sizeOf = (items: PackRecord["items"]): number => items.reduce((sum, [, , length]) => sum + length, 0);

function byPack(places: ReadonlyMap<string, Place>): Map<string, [string, number, number][]> {
  const packs = new Map<string, [string, number, number][]>();
  for (const [id, { pack, offset, length }] of places) {
    const items = packs.get(pack) ?? [];
    items.push([id, offset, length]);
    packs.set(pack, items);
  }
  return packs;
}

function createPack(folder: string) {
  const name = `${randomUUID()}${ending}`;
  const draft = join(folder, `${name}.draft`);
  const items: [string, number, number][] = [];
  let file: number | undefined;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let size = 0;

  function write(): void {
    file ??= openSync(draft, "wx", 0o600);
    // A disk that is almost full takes a part of it.
    let rest = waiting;
    while (rest.length > 0) rest = dropBytes(rest, writevSync(file, rest));
    waiting = [];
    waitingBytes = 0;
  }

  return {
    name,
    add(id: string, bytes: Buffer): number {
      const offset = size;
      items.push([id, offset, bytes.length]);
      size += bytes.length;
      if (bytes.length > 0) waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes >= batchBytes || waiting.length >= 1_000) write();
      return offset;
    },
    end(): PackRecord | undefined {
      if (items.length === 0) return undefined;
      write();
      // Not forced to the disk: what is read is compared with its hash.
      closeSync(file as number);
      renameSync(draft, join(folder, name));
      return { pack: name, items };
    },
  };
}

function dropBytes(buffers: readonly Buffer[], count: number): Buffer[] {
  let left = count;
  return buffers.flatMap((buffer) => {
    const gone = Math.min(left, buffer.length);
    left -= gone;
    return gone === buffer.length ? [] : [buffer.subarray(gone)];
  });
}

function readPart(path: string, { offset, length }: Pick<Place, "offset" | "length">): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const bytes = Buffer.alloc(length);
    let read = 0;
    for (let more = -1; more !== 0 && read < length; read += more) more = readSync(file, bytes, read, length - read, offset + read);
    return read === length ? bytes : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
