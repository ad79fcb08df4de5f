// `update_plan`: the model says what it means to do, and how far it is. It changes nothing but what the user sees, so it asks for nothing.

import type { PlanData } from "@hawser/protocol";
import { isRecord } from "@hawser/protocol/internal";
import { defineTool, type Tool } from "@hawser/tools";
import { agentLimits } from "../limits.ts";
import { toolNames } from "./tool-table.ts";

type Entry = PlanData["entries"][number];

const statuses: readonly Entry["status"][] = ["pending", "in_progress", "completed"];

export function createUpdatePlan(): Tool {
  return defineTool({
    name: toolNames.updatePlan,
    description:
      "Shows the user the steps of a longer task and how far they are. Give the whole plan each time, when it is made and when a step " +
      "begins or ends; at most one step is in progress. For a task of a single step it is not needed.",
    input: {
      type: "object",
      properties: {
        entries: {
          type: "array",
          maxItems: agentLimits.planEntries,
          items: {
            type: "object",
            properties: {
              content: { type: "string", minLength: 1, maxLength: agentLimits.planStepChars, description: "What is to be done." },
              status: { type: "string", enum: statuses },
            },
            required: ["content", "status"],
            additionalProperties: false,
          },
        },
      },
      required: ["entries"],
      additionalProperties: false,
    },
    annotations: { title: "Update the plan", readOnlyHint: true, openWorldHint: false },
    run: (args) => Promise.resolve(args),
  });
}

/** The plan that a call of the tool has set; undefined for any other result. */
export function planIn(toolName: string, result: unknown): PlanData | undefined {
  if (toolName !== toolNames.updatePlan || !isRecord(result) || !Array.isArray(result["entries"])) return undefined;
  const entries = result["entries"] as readonly unknown[];
  return entries.every(isEntry) ? { entries: entries.map(({ content, status }) => ({ content, status })) } : undefined;
}

const isEntry = (value: unknown): value is Entry =>
  isRecord(value) && typeof value["content"] === "string" && statuses.includes(value["status"] as Entry["status"]);
