// Where the sockets, schema files and private directories of sessions lie, and how long a path may be: Node cuts a longer one off
// silently and binds another file, so it is checked before anything is created.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { SocketPathTooLong } from "@hawser/protocol/internal";
import { checkFolder, temporaryFolders } from "../files/temporary-folder.ts";

export const SOCKET_FILE_PREFIX = "claudecode_ipc_";
export const SOCKET_FILE_SUFFIX = ".sock";
export const SCHEMA_FILE_PREFIX = "claudecode_ipc_schema_";
export const SOCKET_PERMISSIONS = 0o600;

const directorySuffix = ".d";
const schemaSuffix = ".json";

export interface SessionNames {
  readonly uuid: string;
  readonly directory: string;
  readonly socketPath: string;
  readonly schemaPath: string;
  /** The session's own directory (0700): the socket is made there, and large results lie there. */
  readonly privateDirectory: string;
  /** Second names of the socket and the schema file, the same after a restart of the program. */
  readonly fixed?: FixedNames;
}

export interface FixedNames {
  readonly name: string;
  readonly socketPath: string;
  readonly schemaPath: string;
}

export interface NameOptions {
  /** Tried in order; the first in which the path is short enough is used, and refused if another user could exchange files there. */
  readonly directories?: readonly string[];
  readonly platform?: NodeJS.Platform;
  /** 32 hexadecimal digits; a fresh random one unless given. */
  readonly uuid?: string;
  /** For names that stay the same: a file name without its ending. */
  readonly name?: string;
}

export function createSessionNames(options: NameOptions = {}): SessionNames {
  const { platform = process.platform, uuid = randomUUID().replaceAll("-", ""), name } = options;
  const fileName = `${SOCKET_FILE_PREFIX}${uuid}${SOCKET_FILE_SUFFIX}`;
  const directory = chooseDirectory(fileName, platform, options.directories);
  return {
    uuid,
    directory,
    socketPath: platform === "win32" ? `\\\\.\\pipe\\${SOCKET_FILE_PREFIX}${uuid}` : join(directory, fileName),
    schemaPath: join(directory, `${SCHEMA_FILE_PREFIX}${uuid}${schemaSuffix}`),
    privateDirectory: join(directory, `${SOCKET_FILE_PREFIX}${uuid}${directorySuffix}`),
    // Not with the prefix of the others: programs that clean up behind sessions remove by it.
    ...(name !== undefined && {
      fixed: { name, socketPath: join(directory, `${name}${SOCKET_FILE_SUFFIX}`), schemaPath: join(directory, `${name}${schemaSuffix}`) },
    }),
  };
}

function chooseDirectory(fileName: string, platform: NodeJS.Platform, directories?: readonly string[]): string {
  let tooLong: string | undefined;
  for (const candidate of directories ?? temporaryFolders()) {
    const path = join(candidate, fileName);
    if (fits(path, platform)) {
      if (directories) checkFolder(candidate);
      return candidate;
    }
    tooLong ??= path;
  }
  throw pathTooLong(tooLong ?? fileName, platform);
}

/** Throws unless the path can be bound or connected to as it is written. */
export function checkSocketPath(path: string, platform: NodeJS.Platform = process.platform): void {
  if (!fits(path, platform)) throw pathTooLong(path, platform);
}

export type LeftoverKind = "socket" | "schema" | "directory" | "lock";

const leftovers: readonly [LeftoverKind, RegExp][] = [
  ["socket", /^claudecode_ipc_([0-9a-f]{32})\.sock$/],
  ["schema", /^claudecode_ipc_schema_([0-9a-f]{32})\.json$/],
  ["directory", /^claudecode_ipc_([0-9a-f]{32})\.d$/],
  ["lock", /^claudecode_ipc_([0-9a-f]{32})\.sock\.lock$/],
];

/** What a file of this name is to us; undefined for everything that is not ours. */
export function readLeftoverName(fileName: string): { kind: LeftoverKind; uuid: string } | undefined {
  for (const [kind, pattern] of leftovers) {
    const uuid = pattern.exec(fileName)?.[1];
    if (uuid !== undefined) return { kind, uuid };
  }
  return undefined;
}

const maxPathBytes = (platform: NodeJS.Platform): number => (platform === "linux" ? 107 : 103);
const fits = (path: string, platform: NodeJS.Platform): boolean =>
  platform === "win32" || Buffer.byteLength(path) <= maxPathBytes(platform);

function pathTooLong(path: string, platform: NodeJS.Platform): SocketPathTooLong {
  const bytes = Buffer.byteLength(path);
  const maxBytes = maxPathBytes(platform);
  return new SocketPathTooLong(`socket path of ${bytes} bytes, at most ${maxBytes} work: ${path}. Set TMPDIR to a shorter directory`, {
    facts: { path, bytes, maxBytes },
  });
}
