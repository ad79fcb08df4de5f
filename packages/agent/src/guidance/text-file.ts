// The text of a file that may be anybody's: bounded, UTF-8, opened only if it is a regular file, and only inside of the folder that it
// belongs to, wherever links lead. What has not changed is not read again.

import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { describeThrown, HawserError } from "@hawser/protocol";
import { codeOf } from "../tools/files/file-errors.ts";
import { openInside } from "../tools/files/open-inside.ts";
import { readStart, toText, wholeCharacterBytes } from "../tools/files/read-text.ts";
import { createRoots } from "../tools/files/roots.ts";
import type { GuidancePlace } from "./guidance-places.ts";

export interface FoundText {
  readonly text: string;
  /** How many bytes that is; fewer than `size` where it was cut. */
  readonly bytes: number;
  readonly size: number;
  /** Where it really lies. */
  readonly real: string;
}

export type TextOutcome = FoundText | { readonly problem: string };

interface KnownText {
  readonly identity: string;
  readonly outcome: TextOutcome;
}

export type TextFiles = ReturnType<typeof createTextFiles>;

/** `maxBytes`: what is taken of each, from its beginning. */
export function createTextFiles(maxBytes: number) {
  /** As they were the last time, and those of this time. */
  let [known, used] = [new Map<string, KnownText>(), new Map<string, KnownText>()];

  return {
    /** Undefined when there is no such file. Never rejects: what can't be read has a problem. */
    async read(place: GuidancePlace): Promise<TextOutcome | undefined> {
      const identity = await identityOf(place.path);
      if (identity === undefined) return undefined;
      const before = known.get(place.path);
      const outcome = before?.identity === identity ? before.outcome : await readText(place, maxBytes);
      used.set(place.path, { identity, outcome });
      return outcome;
    },
    /** What was not asked for since the last time is forgotten. */
    forgetOthers(): void {
      known = used;
      used = new Map();
    },
  };
}

async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(":");
  } catch (error) {
    const code = codeOf(error);
    // A link in a circle, a folder that may not be entered: told when it is opened.
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : code;
  }
}

async function readText({ path, within }: GuidancePlace, maxBytes: number): Promise<TextOutcome> {
  try {
    const wanted = within === undefined ? await realpath(path) : path;
    await using file = await openInside(await createRoots([within ?? dirname(wanted)]), wanted);
    const bytes = await readStart(file.handle, maxBytes);
    const whole = file.stats.size > maxBytes ? bytes.subarray(0, wholeCharacterBytes(bytes)) : bytes;
    return { text: toText(file, whole).replace(/^\ufeff/, ""), bytes: whole.length, size: file.stats.size, real: file.path };
  } catch (error) {
    return { problem: HawserError.isInstance(error) ? error.message : describeThrown(error) };
  }
}
