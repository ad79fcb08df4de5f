// What the agent protocol says about the setting of a conversation: the instructions and skills that its model is told of, and the
// sandbox around its commands.

import * as v from "valibot";
import { described, flag, number, text } from "../described.ts";

const instructionEntry = v.object({
  path: text("The file."),
  bytes: number("How much of it the model is told."),
});

const skillEntry = v.object({
  name: text("For `read_skill`."),
  description: text("What the model is told of it until it reads it."),
  path: text("Its `SKILL.md`."),
});

const leftOutEntry = v.object({
  path: text("The file or folder."),
  reason: text("Why it does not count, or not all of it."),
});

const sandboxStatus = v.object({
  mode: described(v.picklist(["auto", "require", "off"]), "As `--sandbox` says."),
  state: described(
    v.picklist(["unused", "checking", "on", "off"]),
    "Whether commands run in the sandbox. `unused`: there is no command that may be run. `checking`: it is being found out; a command waits for that.",
  ),
  network: flag("Whether a command can use the network."),
  reason: v.exactOptional(text("Why it is off.")),
});

/** Members of `status`. */
export const settingStatus = {
  instructions: v.exactOptional(
    described(v.array(instructionEntry), "Additive. Files whose text the model is told, in that order; for the capability `instructions`."),
  ),
  skills: v.exactOptional(described(v.array(skillEntry), "Additive. The skills that the model may read; for the capability `skills`.")),
  leftOut: v.exactOptional(
    described(
      v.array(leftOutEntry),
      "Additive. Instructions, skills and settings of folders that were found and do not count, or were cut, where there are any.",
    ),
  ),
  sandbox: v.exactOptional(described(sandboxStatus, "Additive. The sandbox around commands; for the capability `sandbox`.")),
};

/** Member of `permission_request`. */
export const runs = v.exactOptional(
  described(
    v.object({
      folder: text("Where it runs."),
      sandboxed: flag("Whether it runs in the sandbox."),
      network: flag("Whether it can use the network."),
    }),
    "For `run_command`: how it would run; for the capability `sandbox`.",
  ),
);

export type InstructionEntry = v.InferOutput<typeof instructionEntry>;
export type SkillEntry = v.InferOutput<typeof skillEntry>;
export type LeftOutEntry = v.InferOutput<typeof leftOutEntry>;
export type SandboxStatus = v.InferOutput<typeof sandboxStatus>;
