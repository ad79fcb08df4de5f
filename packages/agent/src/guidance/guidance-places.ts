// Where instructions and skills are looked for: the user's own places, and those of a project.

import { homedir } from "node:os";
import { join } from "node:path";
import { userFolder } from "@hawser/wire/internal/node";

export interface GuidancePlace {
  /** A file, or a folder that may hold instructions or skills. */
  readonly path: string;
  /** Links may lead to what lies in here, and no further; without it, for what belongs to the user, to anywhere. */
  readonly within?: string | undefined;
}

export interface OwnPlaces {
  readonly instructions: readonly string[];
  readonly skills: readonly string[];
}

/** The first one that is there counts: of these two names in one folder, only one is read. */
export const instructionNames = ["AGENTS.md", "CLAUDE.md"] as const;

const projectSkills = [join(".agents", "skills"), join(".claude", "skills")];

/** Those of the user, which need no trust. */
export function ownPlaces(env: Readonly<Record<string, string | undefined>>): OwnPlaces {
  const home = env["HOME"] || homedir();
  const own = join(userFolder("config", env), "hawser");
  return { instructions: [own], skills: [join(own, "skills"), ...projectSkills.map((path) => join(home, path))] };
}

/** Of a folder of a project. */
export const skillPlaces = (folder: string): GuidancePlace[] => projectSkills.map((path) => ({ path: join(folder, path), within: folder }));

/** What a folder of a project may tell the model lies here: its instructions, its folders of skills. */
export const textPathsIn = (folder: string): string[] => [...instructionNames, ...projectSkills].map((path) => join(folder, path));
