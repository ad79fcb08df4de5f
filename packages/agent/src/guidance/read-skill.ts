// `read_skill`: the text of a skill, and of the files beside it. It only reads, and only inside of the skill's folder; a script of a skill
// is run by `run_command`, if that is allowed.

import { join } from "node:path";
import { defineTool, type Tool, type ToolContext } from "@hawser/tools";
import { HawserError, quoteShort } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";
import { resolveExisting } from "../tools/files/open-inside.ts";
import { withPermit } from "../tools/files/permit.ts";
import { createRoots, type Roots } from "../tools/files/roots.ts";
import { listNames } from "../tools/list-files.ts";
import { readPart } from "../tools/read-file.ts";
import { toolNames } from "../tools/tool-table.ts";
import type { Guidance, GuidanceOptions } from "./guidance.ts";
import { skillFile, type Skill } from "./skill-folders.ts";

export function createReadSkill(guidance: Pick<Guidance, "skills">, { denial }: Pick<GuidanceOptions, "denial">): Tool {
  return defineTool({
    name: toolNames.readSkill,
    description:
      "Reads a skill: instructions for a task. With `file`, a file beside it that its text names. A script of a skill is not run by this; use run_command if it is offered.",
    input: {
      type: "object",
      properties: {
        name: { type: "string", description: "The skill's name." },
        file: { type: "string", description: "A file of the skill, relative to its folder. Default: SKILL.md." },
        offset: { type: "integer", minimum: 1, description: "The first line to read; lines count from 1. Default: 1." },
      },
      required: ["name"],
      additionalProperties: false,
    },
    annotations: { title: "Read skill", readOnlyHint: true, openWorldHint: false },
    async run(args, given) {
      const { name, file = skillFile, offset } = args as { name: string; file?: string; offset?: number };
      const skill = findSkill(guidance.skills(), name);
      // What was decided is that this skill may be read; its files are not named by the call.
      const context = withPermit(given, undefined);
      const roots = await createRoots([skill.folder]);
      const real = await resolveExisting(roots, file);
      const denied = denial(real);
      if (denied !== undefined) throw new HawserError("tool_failed", `denied: ${denied}`);
      const read = await readPart(roots, { path: real, offset }, context);
      const isHead = real === join(skill.folder, skillFile) && offset === undefined;
      return { skill: name, folder: skill.folder, ...read, ...(isHead && { files: await filesOf(roots, context) }) };
    },
  });
}

function findSkill(skills: readonly Skill[], name: string): Skill {
  const skill = skills.find((each) => each.name === name);
  if (skill) return skill;
  const names = skills.map((each) => each.name).join(", ");
  throw new HawserError("invalid_arguments", `there is no skill ${quoteShort(name, 100)}; there are: ${names || "none"}`);
}

/** The names beside it. */
async function filesOf(roots: Roots, context: ToolContext): Promise<readonly string[]> {
  const { files } = await listNames(roots, { recursive: true }, context);
  return files.slice(0, agentLimits.skillFileEntries);
}
