// What the parameters of a tool may be. Calls of registered tools are checked where their functions run; calls of the command line's own
// tools by a hook that it asks before each call. Either way the model reads why, and can do better.

import { HawserError } from "@hawser/protocol";
import type { Tool } from "@hawser/tools";

/** One of the values, a pattern for text (as it is written: `/srv/../etc` begins with `/srv/`), or a test. */
export type ParameterRestriction = readonly unknown[] | RegExp | ((value: unknown) => boolean);

/** By the tool's name, then the parameter's. A parameter that is not given is not restricted. */
export type ToolRestrictions = Readonly<Record<string, Readonly<Record<string, ParameterRestriction>>>>;

/** Why the call may not be made; undefined if it may. */
function refusalOf(
  restrictions: ToolRestrictions | undefined,
  toolName: string,
  input: Readonly<Record<string, unknown>>,
): string | undefined {
  const parameters = Object.entries(restrictions && Object.hasOwn(restrictions, toolName) ? (restrictions[toolName] ?? {}) : {});
  const refused = parameters.find(([name, allowed]) => Object.hasOwn(input, name) && !isWithin(input[name], allowed));
  if (!refused) return undefined;
  const [name, allowed] = refused;
  return `"${toolName}" may not be called with this "${name}"; ${describe(allowed)}`;
}

function isWithin(value: unknown, allowed: ParameterRestriction): boolean {
  if (typeof allowed === "function") return allowed(value);
  // A pattern that remembers its last match would refuse every second call.
  if (allowed instanceof RegExp)
    return typeof value === "string" && new RegExp(allowed.source, allowed.flags.replace(/[gy]/g, "")).test(value);
  return allowed.includes(value);
}

function describe(allowed: ParameterRestriction): string {
  if (typeof allowed === "function") return "its value is restricted";
  return allowed instanceof RegExp
    ? `it must match ${String(allowed)}`
    : `allowed are: ${allowed.map((value) => JSON.stringify(value)).join(", ")}`;
}

/** The tool, refusing what it may not be called with. */
export function withRestrictions(tool: Tool, restrictions: ToolRestrictions | undefined): Tool {
  if (!restrictions || !Object.hasOwn(restrictions, tool.name)) return tool;
  return {
    ...tool,
    run(args: never, context) {
      const refusal = refusalOf(restrictions, tool.name, args);
      if (refusal !== undefined) throw new HawserError("invalid_arguments", refusal);
      return tool.run(args, context);
    },
  };
}

/** The Agent SDK's hook; undefined where nothing is restricted. */
export function toRestrictionHooks(restrictions: ToolRestrictions | undefined): object | undefined {
  if (!restrictions || Object.keys(restrictions).length === 0) return undefined;
  const ask = (call: { tool_name: string; tool_input: unknown }): Promise<object> => {
    const refusal = refusalOf(restrictions, call.tool_name, (call.tool_input ?? {}) as Record<string, unknown>);
    const decision = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: refusal };
    return Promise.resolve(refusal === undefined ? {} : { hookSpecificOutput: decision });
  };
  return { PreToolUse: [{ hooks: [ask] }] };
}
