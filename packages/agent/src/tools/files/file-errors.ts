// What the file system says, as a model can use it: what is wrong with which path, and what to do.

import { HawserError } from "@hawser/protocol";

const advice: Readonly<Record<string, string>> = {
  ENOENT: "does not exist; use list_files to see what is there",
  ENOTDIR: "has a part that is not a folder; use list_files to see what is there",
  EISDIR: "is a folder; give a file",
  EACCES: "may not be accessed: no permission",
  EPERM: "may not be changed: the system does not permit it",
  EROFS: "is on a file system that can't be written",
  ELOOP: "is a link that leads nowhere or was put there just now; use the path that it stands for",
  ENAMETOOLONG: "has a name that is too long for the file system; use a shorter one",
  ENOSPC: "can't be written: the disk is full. What was there before is unchanged",
  EDQUOT: "can't be written: the quota is used up. What was there before is unchanged",
  EFBIG: "can't be written: it would be too large. What was there before is unchanged",
  ETXTBSY: "is a program that runs just now; it can't be changed",
  EMFILE: "can't be opened: too many open files; try again later",
  ENFILE: "can't be opened: too many open files; try again later",
};

/** What a failed system call is called, such as `ENOENT`. */
export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return typeof code === "string" ? code : "unknown error";
}

/** Ours as it is; a failed system call as a sentence about the path. */
export function toFileError(error: unknown, shown: string): HawserError {
  if (HawserError.isInstance(error)) return error;
  const code = codeOf(error);
  return fileError(shown, advice[code] ?? `can't be used: ${code}`, error);
}

export function fileError(shown: string, problem: string, cause?: unknown): HawserError {
  return new HawserError("tool_failed", `${shown} ${problem}`, { cause, facts: { path: shown } });
}
