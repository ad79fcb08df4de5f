// What programs that speak the agent protocol agree on besides its messages: names with a meaning, and what the answers that an agent
// offers mean in ours. The runtime refuses an answer whose option and decision differ.

import type { PermissionOption } from "./data.ts";

/** The conversation of a message that names none. */
export const defaultConversation = "default";

/** The tool as which a folder is asked about, whose settings count once it is trusted. */
export const trustTool = "trust_folder";

/** An agent with a loop of its own, as opposed to a model. */
export const isAgentName = (model: string): boolean => model.startsWith("acp/");

/** By the kind of an option; `effect` for people. */
export const optionMeanings = {
  allow_once: { decision: "allow", effect: "allows it once" },
  allow_always: { decision: "allow_always", effect: "allows it from now on" },
  reject_once: { decision: "deny", effect: "rejects it" },
  reject_always: { decision: "deny", effect: "rejects it from now on" },
} as const satisfies Record<PermissionOption["kind"], { readonly decision: string; readonly effect: string }>;
