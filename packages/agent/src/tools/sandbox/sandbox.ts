// The sandbox around commands: whether there is one, what it lets a command see, and how a command is started in it. What the
// question about a command shows is taken from here, and so is what runs.

import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { HawserError, type SandboxStatus } from "@hawser/protocol";
import { realPathOf } from "../files/permit.ts";
import { isInside, type Roots } from "../files/roots.ts";
import { settingsInside } from "../files/settings-files.ts";
import { findBubblewrap, type Bubblewrap } from "./bubblewrap.ts";
import { toBubblewrapArguments, type ReadPlace } from "./mounts.ts";
import { programPlaces } from "./program-places.ts";
import { seccompFilter } from "./seccomp-filter.ts";

export type SandboxMode = "auto" | "require" | "off";

export interface SandboxOptions {
  /** `auto`: where it works. `require`: without it no command runs. */
  readonly mode: SandboxMode;
  /** A command may use the network. Default: no. */
  readonly network?: boolean | undefined;
  /** Files and folders besides those of the system that a command may read. */
  readonly read?: readonly string[] | undefined;
  /** What no command sees, even where it lies in a root: the data of conversations. */
  readonly hidden?: readonly string[] | undefined;
  /** A folder that is hidden as well, and made where it is missing in a root: what a command runs beside could not be hidden later. */
  readonly secrets?: string | undefined;
  /** The user's home, which is empty for a command. */
  readonly home?: string | undefined;
  /** Found out unless given. */
  readonly find?: (() => Promise<Bubblewrap | { readonly problem: string }>) | undefined;
}

/** How a command runs: what the question about it shows. */
export interface Containment {
  readonly sandboxed: boolean;
  readonly network: boolean;
}

/** Without a sandbox. */
export const unconfined: Containment = { sandboxed: false, network: true };

export interface ContainedProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** For descriptor 3. */
  readonly extraInput?: Uint8Array | undefined;
}

export interface ProgramInside {
  readonly command: string;
  readonly args: readonly string[];
  readonly roots: Roots;
  /** Where each allowed program lies. */
  readonly programs: readonly string[];
}

export interface Sandbox {
  /** Begins to find out whether it works, once. Resolves when it is known. */
  whenKnown(): Promise<void>;
  status(): SandboxStatus;
  /** Only once it is known. */
  containment(): Containment;
  /** Why there is no sandbox; undefined where there is one. */
  problem(): string | undefined;
  /** Why no command may run at all. */
  refusal(): string | undefined;
  /** Throws `tool_failed` where no command may run. */
  wrap(program: ProgramInside): ContainedProgram;
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const { mode, network = false, find = findBubblewrap } = options;
  let found: Bubblewrap | { readonly problem: string } | undefined = mode === "off" ? { problem: "it is switched off" } : undefined;
  let finding: Promise<void> | undefined;

  async function lookForIt(): Promise<void> {
    found ??= await find();
  }
  const usable = (): Bubblewrap | undefined => (found && "program" in found ? found : undefined);
  const problem = (): string | undefined => (found && "problem" in found ? found.problem : undefined);
  const refusal = (): string | undefined => {
    const reason = problem();
    return mode === "require" && reason !== undefined ? `a sandbox is required, and there is none: ${reason}` : undefined;
  };

  return {
    whenKnown: () => (finding ??= lookForIt()),
    status() {
      const reason = problem();
      const state = found ? (usable() ? "on" : "off") : finding ? "checking" : "unused";
      return { mode, state, network: state === "off" || network, ...(reason !== undefined && { reason }) };
    },
    containment: () => (usable() ? { sandboxed: true, network } : unconfined),
    problem,
    refusal,
    wrap({ command, args, roots, programs }) {
      const bubblewrap = usable();
      const denial = refusal();
      if (denial !== undefined) throw new HawserError("tool_failed", denial);
      if (!bubblewrap) return { command, args };
      const place = toPlace(options, roots, programs);
      return {
        command: bubblewrap.program,
        args: [...toBubblewrapArguments(bubblewrap, { ...place, network }), command, ...args],
        // On other machines there is none; an empty one would be refused, but is not named there.
        extraInput: seccompFilter() ?? Buffer.alloc(0),
      };
    },
  };
}

function toPlace(
  { read = [], hidden: named = [], secrets, home, network = false }: SandboxOptions,
  roots: Roots,
  programs: readonly string[],
) {
  if (secrets !== undefined && roots.rootOf(realPathOf(secrets)) !== undefined) mkdirSync(secrets, { recursive: true, mode: 0o700 });
  const hidden = secrets === undefined ? named : [...named, secrets];
  const realHome = home !== undefined && existsSync(home) ? realpathSync(home) : undefined;
  const realHidden = hidden.flatMap((path) => (existsSync(path) ? [realpathSync(path)] : []));
  // A folder of ours that holds a root can't be hidden; what it holds is, entry by entry.
  const holdsRoot = (folder: string): boolean => roots.paths.some((root) => isInside(folder, root));
  const isPrivate = (folder: string): boolean =>
    [realHome, ...realHidden, ...roots.paths].some((path) => path !== undefined && isInside(folder, path));
  const reads = [...read.flatMap(toReadPlaces), ...programPlaces(programs, isPrivate), ...(network ? resolverPlaces() : [])];
  return {
    roots: roots.paths,
    folder: roots.paths[0],
    // What lies in a root is writable; naming it again must not change that.
    reads: reads.filter(({ path }) => roots.rootOf(path) === undefined),
    readOnly: settingsInside(roots),
    hidden: realHidden.filter(
      (path, _, all) => !holdsRoot(path) && !all.some((other) => other !== path && !holdsRoot(other) && isInside(other, path)),
    ),
    home: realHome === "/" ? undefined : realHome,
  };
}

/** Seen under the name that it was given; what a link leads to may lie elsewhere. Nothing where there is nothing. */
function toReadPlaces(path: string): ReadPlace[] {
  try {
    return [{ source: realpathSync(path), path: join(realpathSync(dirname(path)), basename(path)) }];
  } catch {
    return [];
  }
}

/** The list of name servers is often a link into /run, which is empty. */
function resolverPlaces(): ReadPlace[] {
  try {
    const real = realpathSync("/etc/resolv.conf");
    return real.startsWith("/run/") ? [{ source: real, path: real }] : [];
  } catch {
    return [];
  }
}
