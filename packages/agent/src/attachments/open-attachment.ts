// Opens a file that the user has attached. Attaching it is the user's own permission to read it, so nothing is asked;
// but a rule that denies reading wins here as everywhere, over the name and over what was really opened. An attachment
// is read again with later messages, by its path: a path that leads through a link may lead elsewhere by then, and is
// not followed a second time.

import { HawserError } from "@hawser/wire";
import type { RulesPolicy } from "../permissions/create-policy.ts";
import { openInside, type OpenedFile } from "../tools/files/open-inside.ts";
import type { Roots } from "../tools/files/roots.ts";

export interface OpenAttachmentOptions {
  readonly roots: Roots;
  readonly policy: Pick<RulesPolicy, "denialOfReading">;
  /** It was attached to an earlier message. */
  readonly isEarlier?: boolean | undefined;
}

/** The caller closes `handle`. */
export async function openAttachment(path: string, { roots, policy, isEarlier = false }: OpenAttachmentOptions): Promise<OpenedFile> {
  const file = await openInside(roots, path);
  const named = roots.show(roots.locate(path));
  const denial = policy.denialOfReading([...new Set([named, file.shown])]);
  const problem = denial ?? (isEarlier && named !== file.shown ? "it leads through a link, which is not followed again" : undefined);
  if (problem === undefined) return file;
  await file.handle.close();
  throw new HawserError("invalid_message", problem);
}
