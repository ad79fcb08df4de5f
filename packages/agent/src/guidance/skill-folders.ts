// Skills: folders with a `SKILL.md`, whose head says a name and a description. Names follow the Agent Skills format: up to 64 small letters,
// digits and single hyphens, the same as the folder's. What does not follow it is left out with the reason, and so is a second skill of one name.

import { opendir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { quoteShort, reveal, revealProse, type LeftOutEntry, type SkillEntry } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";
import { isInside } from "../tools/files/roots.ts";
import { denialOf, type FileRules } from "./file-rules.ts";
import { parseFrontMatter } from "./front-matter.ts";
import type { GuidancePlace } from "./guidance-places.ts";
import type { TextFiles } from "./text-file.ts";

export interface Skill extends SkillEntry {
  /** Where its files really lie. */
  readonly folder: string;
}

export const skillFile = "SKILL.md";

export interface FoundSkills {
  readonly skills: readonly Skill[];
  readonly leftOut: readonly LeftOutEntry[];
}

interface Finding extends GuidancePlace {
  readonly files: TextFiles;
  readonly rulingOn: FileRules;
}

/** The skills in one folder of skills, in the order of their names. Nothing where there is no such folder. */
export async function findSkills(finding: Finding): Promise<FoundSkills> {
  const { path, within } = finding;
  try {
    const real = await realpath(path);
    if (within !== undefined && !isInside(await realpath(within), real)) return leave(path, "it is a link that leads out of its folder");
    const { names, isCut } = await namesIn(real);
    const all = await Promise.all(names.slice(0, agentLimits.skillEntries).map((name) => readSkill(join(path, name), finding)));
    const rest = [
      ...(names.length > agentLimits.skillEntries ? [{ path, reason: `it has more than ${agentLimits.skillEntries} skills` }] : []),
      ...(isCut ? [{ path, reason: `only the first ${agentLimits.skillFolderEntries} names in it were looked at` }] : []),
    ];
    return {
      skills: all.flatMap((each) => (each && "name" in each ? [each] : [])),
      leftOut: [...all.flatMap((each) => (each && "reason" in each ? [each] : [])), ...rest],
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? { skills: [], leftOut: [] } : leave(path, `it can't be read (${code ?? "failed"})`);
  }
}

const leave = (path: string, reason: string): FoundSkills => ({ skills: [], leftOut: [{ path, reason }] });

/** Folders, and links that may lead to one. */
async function namesIn(folder: string): Promise<{ readonly names: readonly string[]; readonly isCut: boolean }> {
  const names: string[] = [];
  let looked = 0;
  for await (const entry of await opendir(folder)) {
    if (++looked > agentLimits.skillFolderEntries) break;
    if (entry.isDirectory() || entry.isSymbolicLink()) names.push(entry.name);
  }
  return { names: names.sort(), isCut: looked > agentLimits.skillFolderEntries };
}

/** Undefined for a folder that isn't a skill. */
async function readSkill(folder: string, { within, files, rulingOn }: Finding): Promise<Skill | LeftOutEntry | undefined> {
  const path = join(folder, skillFile);
  const found = await files.read({ path, within });
  if (!found) return undefined;
  if ("problem" in found) return { path, reason: found.problem };
  const denied = denialOf(rulingOn, [path, found.real]);
  if (denied !== undefined) return { path, reason: denied };
  try {
    const { name = "", description = "" } = parseFrontMatter(found.text);
    const said = description.replaceAll(/\s+/g, " ").trim();
    const problem = problemOf(name, said, basename(folder));
    return problem === undefined ? { name, description: said, path, folder: dirname(found.real) } : { path, reason: problem };
  } catch (error) {
    return { path, reason: `${skillFile} ${(error as Error).message}` };
  }
}

const namePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

function problemOf(name: string, description: string, folder: string): string | undefined {
  const { skillNameChars, skillDescriptionChars } = agentLimits;
  if (name === "" || description === "") return `its head says no ${name === "" ? "name" : "description"}`;
  if (name.length > skillNameChars) return `its name is longer than ${skillNameChars} characters`;
  if (!namePattern.test(name)) return `its name ${reveal(quoteShort(name, 100))} is not made of small letters, digits and single hyphens`;
  if (name !== folder) return `its name is ${name}, and its folder's is not`;
  if (description.length > skillDescriptionChars) return `its description is longer than ${skillDescriptionChars} characters`;
  if (!description.isWellFormed() || revealProse(description) !== description) return "its description holds characters that can't be seen";
  return undefined;
}
