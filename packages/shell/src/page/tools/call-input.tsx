// What a tool was given, where the head of its card does not say it already: one row for each member, and a tree only for what has
// members of its own.

import { isRecord, reveal } from "@hawser/protocol/internal";
import type { ToolPart } from "../state/page-state.ts";
import { summarizeInput } from "./describe-call.ts";
import { JsonTree } from "./json-tree.tsx";

// What the summary tells, where it is not cut.
const summarized: readonly string[] = ["path", "pattern", "command", "args"];
/** What is drawn as the change that it makes. */
const drawn: Readonly<Record<string, readonly string[]>> = {
  write_file: ["path", "content"],
  edit_file: ["path", "oldText", "newText"],
};
const rowChars = 200;

const isPlain = (value: unknown): boolean => !isRecord(value) && !Array.isArray(value) && String(value).length <= rowChars;

/** The members that nothing else on the card shows. */
export function unsaidInput({ toolName, input, state }: Pick<ToolPart, "toolName" | "input" | "state">): unknown {
  if (!isRecord(input)) return input === null || input === "" ? undefined : input;
  const isWhole = !summarizeInput(input).endsWith("…");
  const said = [...(isWhole ? summarized : []), ...((state === "done" && Object.hasOwn(drawn, toolName) && drawn[toolName]) || [])];
  // Without a path, a pattern or a command, the summary is made of all members.
  const isAllSaid = isWhole && !Object.keys(input).some((name) => summarized.includes(name)) && Object.values(input).every(isPlain);
  if (isAllSaid) return undefined;
  const left = Object.entries(input).filter(([name, value]) => !said.includes(name) || isRecord(value));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

export function CallInput({ tool }: { readonly tool: ToolPart }) {
  const input = unsaidInput(tool);
  if (input === undefined) return null;
  if (!isRecord(input) || !Object.values(input).every(isPlain)) return <JsonTree value={input} name="input" />;
  return (
    <dl aria-label="Input" className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 font-mono text-xs leading-relaxed">
      {Object.entries(input).map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-soft wrap-anywhere">{reveal(name)}</dt>
          <dd className="min-w-0 whitespace-pre-wrap wrap-anywhere">{reveal(String(value))}</dd>
        </div>
      ))}
    </dl>
  );
}
