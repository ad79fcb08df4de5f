// Whether bubblewrap works here, found out by using it once: it may be missing, too old, or not allowed to make namespaces.

import { constants, accessSync } from "node:fs";
import { join } from "node:path";
import { describeThrown } from "@hawser/protocol/internal";
import { agentLimits } from "../../limits.ts";
import { commandEnvironment, runProgram, type ProgramResult } from "../command/run-program.ts";
import { toBubblewrapArguments } from "./mounts.ts";
import { findPrivateEntries } from "./private-entries.ts";
import { seccompFilter } from "./seccomp-filter.ts";

export interface Bubblewrap {
  readonly program: string;
  /** Options that only newer ones have. */
  readonly has: ReadonlySet<NewerOption>;
  /** Of the system's folders, not to be seen. */
  readonly privateEntries: readonly string[];
}

const newerOptions = ["--disable-userns", "--size"] as const;
export type NewerOption = (typeof newerOptions)[number];

/** Folders of the system. Not the PATH: one that is found there may be anybody's. */
const usualFolders = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

/** What works, or why nothing does. Never rejects. */
export async function findBubblewrap(folders: readonly string[] = usualFolders): Promise<Bubblewrap | { readonly problem: string }> {
  if (process.platform !== "linux") return { problem: "bubblewrap needs Linux" };
  const program = folders.map((folder) => join(folder, "bwrap")).find(isProgram);
  if (program === undefined) return { problem: "bubblewrap (bwrap) is not installed" };
  try {
    const help = await run(program, ["--help"]);
    const has = new Set(newerOptions.filter((option) => help.stdout.text.includes(option)));
    const found = { program, has, privateEntries: await findPrivateEntries("/etc") };
    const problem = await tryOut(found);
    if (problem === undefined) return found;
    // Inside another sandbox this alone may be refused; the filter of system calls refuses the same.
    const withoutIt = { ...found, has: new Set([...has].filter((option) => option !== "--disable-userns")) };
    return (await tryOut(withoutIt)) === undefined ? withoutIt : { problem };
  } catch (error) {
    return { problem: `bubblewrap can't be used: ${describeThrown(error)}` };
  }
}

/** It prints its own version inside of a sandbox. Why it can't, else undefined. */
async function tryOut(bubblewrap: Bubblewrap): Promise<string | undefined> {
  const place = { roots: [], folder: "/", reads: [], readOnly: [], hidden: [], home: undefined, network: false };
  const inside = toBubblewrapArguments(bubblewrap, place);
  const { code, stderr, isTimedOut } = await run(bubblewrap.program, [...inside, bubblewrap.program, "--version"], seccompFilter());
  if (isTimedOut) return "bubblewrap did not answer";
  return code === 0 ? undefined : `bubblewrap can't make a sandbox here: ${stderr.text.trim().split("\n").at(-1) ?? ""}`;
}

const run = (command: string, args: readonly string[], extraInput?: Uint8Array): Promise<ProgramResult> =>
  runProgram({
    command,
    args,
    cwd: "/",
    env: commandEnvironment({}),
    timeoutMs: agentLimits.sandboxProbeMs,
    signal: new AbortController().signal,
    extraInput,
  });

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
