// The folders that their user has trusted, each with a digest of what it brought along then: what changes later is asked about
// anew. A file that can't be read trusts nothing.

import { describeThrown, isRecord } from "@hawser/protocol/internal";
import { logLine } from "@hawser/wire/internal/node";
import { agentLimits } from "../limits.ts";
import { addToList, loadList } from "./list-file.ts";

export interface TrustedFolders {
  /** The file. */
  readonly path: string;
  has(folder: string, digest: string): Promise<boolean>;
  /** Never rejects: a trust that can't be written counts until the process ends. */
  add(folder: string, digest: string): Promise<void>;
}

const member = "trusted";

export function createTrustedFolders(path: string): TrustedFolders {
  /** Of this process, whether it could be written or not. */
  const added = new Map<string, string>();

  return {
    path,
    async has(folder, digest) {
      if (added.get(folder) === digest) return true;
      try {
        const { entries } = await loadList(path, member);
        return entries.some((entry) => isOf(entry, folder) && entry["digest"] === digest);
      } catch (error) {
        logLine(`[hawser] trusted folders in ${path} are not used: ${describeThrown(error)}`);
        return false;
      }
    },
    async add(folder, digest) {
      added.set(folder, digest);
      try {
        // The latest ones stay; one that is forgotten is asked about once more.
        const change = (entries: readonly unknown[]): readonly unknown[] =>
          [...entries.filter((entry) => !isOf(entry, folder)), { folder, digest }].slice(-agentLimits.trustedFolderEntries);
        await addToList(path, member, change);
      } catch (error) {
        logLine(`[hawser] the trust in ${folder} could not be written to ${path}: ${describeThrown(error)}`);
      }
    },
  };
}

const isOf = (entry: unknown, folder: string): entry is Record<string, unknown> => isRecord(entry) && entry["folder"] === folder;
