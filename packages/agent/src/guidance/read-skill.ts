// `read_skill`: the text of a skill, and of the files beside it. It only reads, and only inside of the skill's folder; a script of a skill
// is run by `run_command`, if that is allowed. What the rules keep back from `read_file` and `list_files` is kept back here too, and what
// is opened is what was judged.

import { dirname, join, relative } from "node:path";
import { defineTool, type Tool, type ToolContext } from "@hawser/tools";
import { HawserError, quoteShort } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";
import { targetOf, withPermit, type FileRuling, type Ruling } from "../tools/files/permit.ts";
import { createRoots, type Roots } from "../tools/files/roots.ts";
import { listNames } from "../tools/list-files.ts";
import { readPart } from "../tools/read-file.ts";
import { toolNames } from "../tools/tool-table.ts";
import type { FileRules } from "./file-rules.ts";
import type { Guidance } from "./guidance.ts";
import { skillFile, type Skill } from "./skill-folders.ts";

export function createReadSkill(guidance: Pick<Guidance, "skills">, rulingOn: FileRules): Tool {
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
      const roots = await createRoots([skill.folder]);
      const wanted = roots.locate(file);
      const target = targetOf(wanted);
      const real = target ? join(target.existing, ...target.missing) : wanted;
      // What was decided is that this skill may be read; its files are not named by the call.
      refuseRuled(rulingOn(toolNames.readFile, [...namesOf(skill, wanted), real]));
      const read = await readPart(roots, { path: file, offset }, withPermit(given, { target, judge: () => "allow" }));
      const isHead = real === join(skill.folder, skillFile) && offset === undefined;
      return { skill: name, folder: skill.folder, ...read, ...(isHead && { files: await filesOf(skill, roots, given) }) };
    },
  });

  /** The names beside it. */
  async function filesOf(skill: Skill, roots: Roots, given: ToolContext): Promise<readonly string[]> {
    const judge = (real: string): Ruling => rulingOn(toolNames.listFiles, namesOf(skill, real))?.decision ?? "allow";
    const context = withPermit(given, { target: targetOf(skill.folder), judge });
    const { files } = await listNames(roots, { recursive: true }, context);
    return files.slice(0, agentLimits.skillFileEntries);
  }
}

/** Of a path in its real folder: as it was found, which may be through a link, and as it is. */
const namesOf = ({ path, folder }: Skill, inside: string): string[] => [join(dirname(path), relative(folder, inside)), inside];

function refuseRuled(ruling: FileRuling | undefined): void {
  if (!ruling) return;
  const advice = ruling.decision === "ask" ? "; read_file asks the user" : "";
  throw new HawserError("tool_failed", `denied: ${ruling.reason}${advice}`);
}

function findSkill(skills: readonly Skill[], name: string): Skill {
  const skill = skills.find((each) => each.name === name);
  if (skill) return skill;
  const names = skills.map((each) => each.name).join(", ");
  throw new HawserError("invalid_arguments", `there is no skill ${quoteShort(name, 100)}; there are: ${names || "none"}`);
}
