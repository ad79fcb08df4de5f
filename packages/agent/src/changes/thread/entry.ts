// One file, link or folder of a tree as it was seen: what it is, and by which signs a later look knows that it is unchanged. Names that
// are not UTF-8 keep their bytes: such a part of a path is a NUL character and the bytes as Latin-1, which no real name can be.

export type EntryKind = "file" | "link" | "folder";

/** What an entry is: two of them are the same state when these are equal. */
export interface State {
  readonly kind: EntryKind;
  /** Permission bits; 0 for a link, which has none. */
  readonly mode: number;
  /** The hash of its content or target, which is kept; or, after a `-`, why it is not kept and the signs of this version. Empty for a folder. */
  readonly id: string;
  readonly size: number;
}

export interface Entry extends State {
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  /** It was changed so shortly before it was looked at that a further change may bear the same time: its content is read again. */
  readonly isFresh: boolean;
}

/** Why the content of a file is not kept. */
export type Unkept = "large" | "room" | "unreadable";

const kinds: readonly EntryKind[] = ["file", "link", "folder"];

export const isSame = (one: State | undefined, other: State | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && one.kind === other.kind && one.mode === other.mode && one.id === other.id);

export const isKept = ({ id }: State): boolean => !id.startsWith("-");

export const toUnkeptId = (reason: Unkept, { size, mtimeMs, ino }: { size: number; mtimeMs: number; ino: number }): string =>
  `-${reason}:${size}:${mtimeMs}:${ino}`;

export const unkeptReason = ({ id }: State): Unkept => id.slice(1, id.indexOf(":")) as Unkept;

/** As a line of the log has it. */
export type PackedEntry = readonly [kind: number, mode: number, id: string, size: number, ...signs: number[]];

export const packEntry = (entry: Entry): PackedEntry => [
  kinds.indexOf(entry.kind),
  entry.mode,
  entry.id,
  entry.size,
  entry.mtimeMs,
  entry.ctimeMs,
  entry.ino,
  entry.isFresh ? 1 : 0,
];

export function unpackEntry([kind, mode, id, size, mtimeMs = 0, ctimeMs = 0, ino = 0, fresh = 1]: PackedEntry): Entry {
  return { kind: kinds[kind] ?? "file", mode, id, size, mtimeMs, ctimeMs, ino, isFresh: fresh === 1 };
}

/** One state became another; undefined where there was or is none. */
export interface Change {
  /** The path from the root with `/`, in the form that is explained above. */
  readonly key: string;
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

export type PackedChange = readonly [key: string, before: PackedEntry | null, after: PackedEntry | null];

export const packChange = ({ key, before, after }: Change): PackedChange => [
  key,
  before ? packEntry(before) : null,
  after ? packEntry(after) : null,
];

export const unpackChange = ([key, before, after]: PackedChange): Change => ({
  key,
  before: before ? unpackEntry(before) : undefined,
  after: after ? unpackEntry(after) : undefined,
});

const rawMark = "\0";

/** One part of a path from the bytes of its name. */
export function toNameKey(bytes: Buffer): string {
  const name = bytes.toString();
  return Buffer.from(name).equals(bytes) ? name : rawMark + bytes.toString("latin1");
}

/** What system calls take: a text, or bytes where the name is not UTF-8. */
export const toName = (nameKey: string): string | Buffer =>
  nameKey.startsWith(rawMark) ? Buffer.from(nameKey.slice(1), "latin1") : nameKey;

/** A whole path for system calls, below `base`. */
export function toPath(base: string, key: string): string | Buffer {
  if (!key.includes(rawMark)) return `${base}/${key}`;
  const parts = key.split("/").map((name) => Buffer.from(toName(name)));
  return Buffer.concat([Buffer.from(base), ...parts.flatMap((part) => [Buffer.from("/"), part])]);
}

export const parentOf = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf("/")));

/** The folders above it, the outermost first. */
export function ancestorsOf(key: string): string[] {
  const parts = key.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

const withSlash = (key: string): string => (key.endsWith("/") ? key : `${key}/`);

/** Whether a path is meant by one that was asked for: it is the same, or lies in it. Folders may end with `/`; the empty one is the root. */
export const isMeantBy = (key: string, wanted: string): boolean => wanted === "" || withSlash(key).startsWith(withSlash(wanted));
