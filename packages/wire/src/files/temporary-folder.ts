// Where temporary files go: the first of TMPDIR, XDG_RUNTIME_DIR and /tmp in which no other user can exchange what lies there. That
// takes a look at the whole way to it, since who may rename a folder above it decides what the path means.

import fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import { HawserError } from "@hawser/protocol";
import { logLine } from "../log.ts";

/** The first safe folder. Throws `usage` when there is none. */
export function temporaryFolder(): string {
  for (const folder of temporaryFolders()) return folder;
  throw unsafeFolder(`${tmpdir()} can't be used`);
}

/** The safe ones in order, for files whose path may turn out too long. Throws `usage` when there is none. */
export function* temporaryFolders(): Generator<string, void> {
  let fault: string | undefined;
  let isAnySafe = false;
  for (const [index, path] of [tmpdir(), process.env["XDG_RUNTIME_DIR"], "/tmp"].entries()) {
    // A variable may be set and empty, or relative: a path must mean the same wherever the program goes.
    const folder = path ? resolve(path) : undefined;
    // The first one may be missing: its user wants to be told so, and not to find the files elsewhere.
    if (folder === undefined || (index > 0 && !fs.existsSync(folder))) continue;
    const found = findFolderFault(folder);
    fault ??= found;
    if (found !== undefined) continue;
    if (fault !== undefined) noteOnce(`[hawser] ${fault}. ${folder} is used instead; ${advice}`);
    isAnySafe = true;
    yield folder;
  }
  if (!isAnySafe && fault !== undefined) throw unsafeFolder(fault);
}

/** Throws `usage` for a folder in which another user could exchange our files. For one that the caller has chosen. */
export function checkFolder(path: string): void {
  const fault = findFolderFault(path);
  if (fault !== undefined) throw unsafeFolder(fault);
}

const advice = "set TMPDIR to a folder that only you may write";
const unsafeFolder = (fault: string): HawserError => new HawserError("usage", `${fault}; ${advice}`);

const noted = new Set<string>();

function noteOnce(line: string): void {
  if (!noted.has(line)) logLine(line);
  noted.add(line);
}

const maxLinks = 40;

/** A sentence about the first thing on the way to the folder that another user controls. What does not exist has no fault. */
function findFolderFault(path: string): string | undefined {
  if (process.getuid === undefined) return undefined;
  const { root } = parse(resolve(path));
  let at = root;
  let rest = partsOf(resolve(path).slice(root.length));
  let links = 0;
  for (;;) {
    const stat = statOf(at);
    if (!stat) return undefined;
    const fault = faultOf(stat);
    if (fault) return `temporary files in ${path} could be exchanged by another user: ${at} ${fault}`;
    if (stat.isSymbolicLink()) {
      if (++links > maxLinks) return undefined;
      const target = fs.readlinkSync(at);
      rest = [...partsOf(target), ...rest];
      at = isAbsolute(target) ? root : dirname(at);
    }
    const [next, ...others] = rest;
    if (next === undefined) return undefined;
    // `..` behind a link leads above its target, and `at` never contains one.
    at = join(at, next);
    rest = others;
  }
}

/** Undefined also for what we may not look at: using it will fail with the reason. */
function statOf(path: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

const partsOf = (path: string): string[] => path.split(sep).filter((part) => part !== "");

function faultOf(stat: fs.Stats): string | undefined {
  if (!isTrustedOwner(stat.uid)) return `belongs to user ${stat.uid}`;
  // The mode of a link says nothing; with the sticky bit everybody may only remove what is theirs.
  if (stat.isSymbolicLink() || (stat.mode & 0o1000) !== 0) return undefined;
  if ((stat.mode & 0o002) !== 0) return "may be written by everybody, without the sticky bit";
  if ((stat.mode & 0o020) !== 0 && !isPrivateGroup(stat.gid)) return `may be written by group ${stat.gid}, without the sticky bit`;
  return undefined;
}

// Many systems give each user a group of the same number with no other member, and make folders that it may write.
const isPrivateGroup = (gid: number): boolean => gid === 0 || gid === process.getuid?.();

/** Whether this process may rely on files of that user: its own or root, who can change everything anyway. True on Windows. */
export function isTrustedOwner(uid: number): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own || uid === 0 || isOutsideNamespace(uid);
}

// In a sandbox with a user namespace of its own (bubblewrap, a rootless container) the files of the system belong to a
// stand-in for all users that the sandbox does not know, root among them.
function isOutsideNamespace(uid: number): boolean {
  try {
    if (uid !== Number(fs.readFileSync("/proc/sys/kernel/overflowuid", "utf8"))) return false;
    const [inside, , count] = fs.readFileSync("/proc/self/uid_map", "utf8").trim().split(/\s+/).map(Number);
    return !(inside === 0 && count === 2 ** 32 - 1);
  } catch {
    return false;
  }
}
