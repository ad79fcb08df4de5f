// Tools that can be called by name. One call goes the same way everywhere: find the tool, check the arguments, ask whether it may run,
// wait for its turn, run it, bound what it returns. The bridge and the agent hand in the steps in which they differ.

import { cutText, HawserError, ToolNotFoundError } from "@hawser/protocol/internal";
import { createSemaphore, type Semaphore } from "@hawser/wire/internal";
import type { Tool } from "./define-tool.ts";
import { prepareInput, type PreparedInput } from "./tool-input.ts";

export interface ToolHost {
  readonly tools: readonly HostedTool[];
  /** Throws ToolNotFoundError, which names the tools that exist. */
  find(name: string): HostedTool;
}

export interface HostedTool extends Pick<PreparedInput, "jsonSchema"> {
  readonly tool: Tool;
  /** Rejects with whatever a step throws, or throws it; a result that is there at once is returned as it is. */
  call<Result, Permit = undefined>(call: HostedCall<Result, Permit>): Promise<Result> | Result;
}

export interface HostedCall<Result, Permit> {
  readonly args: Record<string, unknown>;
  /** Aborting it ends the wait for the tool's turn. */
  readonly signal: AbortSignal;
  /** Asked when the arguments are valid and before the tool waits for its turn; throws to refuse. */
  authorize?(): Promise<Permit>;
  /** `args` is what the check of the arguments made of them. */
  run(args: never, permit: Permit | undefined): unknown;
  /** Makes a result of bounded size of what the tool returned. */
  bound(value: unknown): Result;
}

export const createToolHost = (tools: readonly Tool[]): ToolHost => createToolHosts()(tools);

/** Hosts for changing lists of tools: schemas are prepared once per tool, and a turn taken in one host is taken in all. */
export function createToolHosts(): (tools: readonly Tool[]) => ToolHost {
  const hosted = new WeakMap<Tool, HostedTool>();
  const passGates = createGates();

  return (tools) => {
    const byName = new Map<string, HostedTool>();
    for (const tool of tools) {
      if (byName.has(tool.name)) throw new HawserError("usage", `two tools are called "${tool.name}"; rename one`);
      const known = hosted.get(tool) ?? prepareTool(tool, passGates);
      hosted.set(tool, known);
      byName.set(tool.name, known);
    }
    return {
      tools: [...byName.values()],
      find(name) {
        const found = byName.get(name);
        if (found) return found;
        const known = [...byName.keys()].slice(0, maxNamesShown).join(", ");
        throw new ToolNotFoundError(
          `there is no tool "${cutText(name, 200)}"; ${known ? `known are: ${known}` : "this program offers none"}`,
        );
      },
    };
  };
}

// Enough for a model to see a misspelt name.
const maxNamesShown = 40;

function prepareTool(tool: Tool, passGates: Gates): HostedTool {
  if (typeof tool.name !== "string" || tool.name === "") throw new HawserError("usage", "a tool needs a name");
  if (typeof tool.run !== "function") throw new HawserError("usage", `tool "${tool.name}" needs a function \`run\``);
  for (const name of ["concurrency", "maxResultSizeChars"] as const) {
    const value = tool[name];
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 1))
      throw new HawserError("usage", `tool "${tool.name}": ${name} must be a whole number of at least 1`);
  }
  const { jsonSchema, startCheck } = prepareInput(tool.name, tool.input);
  return {
    tool,
    jsonSchema,
    call(call) {
      const checking = startCheck(tool.name, call.args);
      if (checking || call.authorize || hasGates(tool)) return callInSteps(tool, call, { checking, passGates });
      call.signal.throwIfAborted();
      const value = call.run(call.args as never, undefined);
      return isThenable(value) ? Promise.resolve(value).then(call.bound) : call.bound(value);
    },
  };
}

async function callInSteps<Result, Permit>(
  tool: Tool,
  { args, signal, authorize, run, bound }: HostedCall<Result, Permit>,
  { checking, passGates }: { readonly checking: Promise<unknown> | undefined; readonly passGates: Gates },
): Promise<Result> {
  const checked = checking ? await checking : args;
  const permit = authorize && (await authorize());
  const value = await passGates(tool, signal, async () => {
    signal.throwIfAborted();
    return run(checked as never, permit);
  });
  return bound(value);
}

const hasGates = ({ concurrency, exclusiveGroup }: Tool): boolean => concurrency !== undefined || exclusiveGroup !== undefined;

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  ((typeof value === "object" && value !== null) || typeof value === "function") &&
  typeof (value as { then?: unknown }).then === "function";

/** Runs `action` when the tool's turn has come. */
export type Gates = <Result>(tool: Tool, signal: AbortSignal, action: () => Promise<Result>) => Promise<Result>;

/**
 * At most `concurrency` calls of one tool run, and one of an exclusive group. The others wait in the order they came; one that
 * is cancelled while it waits gives up its place.
 */
export function createGates(): Gates {
  const byName = new Map<string, Semaphore>();

  function gateFor(name: string, seats: number): Semaphore {
    const gate = byName.get(name) ?? createSemaphore(seats);
    byName.set(name, gate);
    return gate;
  }

  return ({ name, concurrency, exclusiveGroup }, signal, action) => {
    const passTool = concurrency === undefined ? action : () => gateFor(`tool:${name}`, concurrency).run(action, signal);
    return exclusiveGroup === undefined ? passTool() : gateFor(`group:${exclusiveGroup}`, 1).run(passTool, signal);
  };
}
