// The agent protocol, part four: what a status says of instructions, skills and the sandbox, and a question about a command of the sandbox
// around it. Additions: a runtime without them isn't faulty.

import { toScenarios } from "../scenario.ts";
import { hasStatus, ready, turn } from "./agent-script.ts";

const text = { $type: "string", $regex: "." };

export const agentSettingScenarios = toScenarios(
  {
    instructions: {
      title: "a status lists the files whose text the model is told, each with its length",
      requirements: ["G18", "H37"],
      steps: hasStatus("s", { instructions: { $each: { path: text, bytes: { $number: { min: 1 } } } } }),
    },
    skills: {
      title: "a status lists the skills by a name of the published form, with description and path",
      requirements: ["G18", "H37"],
      steps: hasStatus("s", {
        skills: { $each: { name: { $regex: "^[a-z0-9]+(-[a-z0-9]+)*$" }, description: text, path: text } },
      }),
    },
    sandbox: {
      title: "a status says how commands are contained, before and after a turn",
      requirements: ["G17", "H37"],
      steps: ["s1", "s2"].flatMap((id, at) => [
        ...(at === 0 ? [] : turn("t", "Hello")),
        ...hasStatus(id, {
          sandbox: {
            mode: { $either: ["auto", "require", "off"] },
            state: { $either: ["unused", "checking", "on", "off"] },
            network: { $type: "boolean" },
          },
        }),
      ]),
    },
  },
  { additive: true, before: [ready] },
);
