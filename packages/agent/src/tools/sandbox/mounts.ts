// What a command sees of the machine, as arguments for bubblewrap: the system's folders and some others read-only, the roots
// writable, everything else empty or absent. Outer folders come before those inside of them, so that the inner ones count.

import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { sep } from "node:path";
import { agentLimits } from "../../limits.ts";
import { isInside } from "../files/roots.ts";
import type { Bubblewrap } from "./bubblewrap.ts";
import { seccompFilter } from "./seccomp-filter.ts";

export interface SandboxPlace {
  /** Writable. The first is the folder that bubblewrap is started in, whatever its name is by then. */
  readonly roots: readonly string[];
  /** Where the command begins. */
  readonly folder: string;
  /** Readable: where each is, and where it is to be seen. */
  readonly reads: readonly ReadPlace[];
  /** Inside of the roots, and not to be changed. */
  readonly readOnly: readonly string[];
  /** Not to be seen, wherever it lies. */
  readonly hidden: readonly string[];
  readonly home: string | undefined;
  readonly network: boolean;
}

export interface ReadPlace {
  readonly source: string;
  readonly path: string;
}

/** What programs are made of. */
const systemFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/gnu/store"];

/** It is seen anyway. */
export const isOfSystem = (path: string): boolean => systemFolders.some((folder) => isInside(folder, path));

/** Some users of the system have such a home; it must not be hidden. */
const isProgramFolder = (path: string): boolean => isOfSystem(path) && !(isInside("/opt", path) && path !== "/opt");

interface Mount {
  readonly path: string;
  readonly args: readonly string[];
}

/** All but the program and its arguments. */
export function toBubblewrapArguments({ has, privateEntries }: Bubblewrap, place: SandboxPlace): string[] {
  const size = (bytes: number): string[] => (has.has("--size") ? ["--size", String(bytes)] : []);
  const empty = (path: string): Mount => ({ path, args: [...size(agentLimits.sandboxScratchBytes), "--tmpfs", path] });
  const isRoot = (path: string): boolean => place.roots.includes(path);
  const scratch = ["/tmp", "/run", "/var/tmp", ...(place.home === undefined || isProgramFolder(place.home) ? [] : [place.home])].filter(
    (path) => !isRoot(path),
  );
  const mounts: Mount[] = [
    ...systemFolders.flatMap(toSystemMount),
    ...privateEntries.filter((path) => existsSync(path)).map((path) => ({ path, args: toNothing(path) })),
    ...scratch.map(empty),
    ...place.reads.map(({ source, path }) => ({ path, args: ["--ro-bind", source, path] })),
    ...place.roots.map((path, at) => ({ path, args: ["--bind", at === 0 ? "." : path, path] })),
    { path: "/proc", args: ["--proc", "/proc", "--remount-ro", "/proc"] },
    { path: "/dev", args: ["--dev", "/dev"] },
  ];
  const tops = [...place.roots, ...place.reads.map((read) => read.path), ...systemFolders];
  const isVisible = (path: string): boolean => tops.some((top) => isInside(top, path));
  const kept = place.readOnly.filter((path) => isVisible(path) && existsSync(path));
  const hidden = place.hidden.filter((path) => isVisible(path) && existsSync(path));
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL"],
    ...(place.network ? [] : ["--unshare-net"]),
    ...(has.has("--disable-userns") ? ["--disable-userns"] : []),
    ...["--die-with-parent", "--new-session"],
    ...mounts.toSorted((one, other) => depthOf(one.path) - depthOf(other.path)).flatMap(({ args }) => args),
    ...kept.flatMap((path) => ["--ro-bind", path, path]),
    ...hidden.flatMap(toNothing),
    ...(isRoot("/") ? [] : ["--remount-ro", "/"]),
    ...["--setenv", "TMPDIR", "/tmp", "--chdir", place.folder],
    ...(seccompFilter() ? ["--seccomp", "3"] : []),
    "--",
  ];
}

const depthOf = (path: string): number => path.split(sep).filter(Boolean).length;

/** `/bin` is a link on most systems. */
function toSystemMount(path: string): Mount[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  return [{ path, args: stats.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path] }];
}

function toNothing(path: string): string[] {
  return lstatSync(path).isDirectory() ? ["--tmpfs", path, "--remount-ro", path] : ["--ro-bind", "/dev/null", path];
}
