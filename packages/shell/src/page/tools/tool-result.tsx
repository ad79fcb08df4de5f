// What a tool returned, drawn as what it is: a file with line numbers, a new file, a difference, a list, what
// a program printed, an image, a text; and anything else as a tree.

import { isRecord } from "@hawser/wire";
import type { ReactNode } from "react";
import type { ToolPart } from "../state/page-state.ts";
import { JsonTree } from "./json-tree.tsx";
import { DiffView, NumberedCode } from "./numbered-code.tsx";

export function ToolResult({ tool }: { readonly tool: ToolPart }) {
  const { result } = tool;
  if (tool.state === "running") return null;
  const drawn = drawKnown(tool) ?? drawImages(result);
  if (drawn) return <>{drawn}</>;
  if (result === null || result === undefined) return null;
  return typeof result === "string" ? <NumberedCode text={result} label="Result" /> : <JsonTree value={result} name="result" />;
}

function drawKnown({ toolName, input, result, state }: ToolPart): ReactNode {
  if (state !== "done") return undefined;
  const given = isRecord(input) ? input : {};
  const returned = isRecord(result) ? result : {};
  switch (toolName) {
    case "read_file":
      return drawFile(returned);
    case "write_file":
    case "edit_file":
      return <ChangePreview toolName={toolName} input={given} />;
    case "list_files":
      return drawList(returned["files"]);
    case "search_files":
      return drawMatches(returned["matches"]);
    case "run_command":
      return drawProgram(returned);
    default:
      return undefined;
  }
}

/** What `write_file` and `edit_file` do to a file; also shown before they may. Undefined for other tools. */
export function ChangePreview({ toolName, input }: { readonly toolName: string; readonly input: unknown }): ReactNode {
  const { path, content, oldText, newText } = isRecord(input) ? input : {};
  if (toolName === "write_file" && typeof content === "string")
    return <DiffView before="" after={content} label={`New content of ${String(path)}`} />;
  if (toolName === "edit_file" && typeof oldText === "string" && typeof newText === "string")
    return <DiffView before={oldText} after={newText} label={`Change in ${String(path)}`} />;
  return <JsonTree value={input} name="input" />;
}

function drawFile({ content, path, offset, truncated }: Readonly<Record<string, unknown>>): ReactNode {
  if (typeof content !== "string") return undefined;
  return (
    <>
      <NumberedCode text={content} label={String(path)} firstNumber={typeof offset === "number" ? offset : 1} />
      {truncated === true && <p className="mt-1 text-xs text-soft">There is more of this file than was read.</p>}
    </>
  );
}

function drawList(files: unknown): ReactNode {
  if (!Array.isArray(files)) return undefined;
  if (files.length === 0) return <p className="text-sm text-soft">Nothing is here.</p>;
  return (
    <ul tabIndex={0} aria-label="Files" className="grid max-h-80 gap-x-4 overflow-auto font-mono text-xs leading-relaxed sm:grid-cols-2">
      {files.map((file: unknown, at) => (
        <li key={at} className={`truncate ${String(file).endsWith("/") ? "text-sea" : ""}`}>
          {String(file)}
        </li>
      ))}
    </ul>
  );
}

function drawMatches(matches: unknown): ReactNode {
  if (!Array.isArray(matches)) return undefined;
  if (matches.length === 0) return <p className="text-sm text-soft">Nothing was found.</p>;
  return (
    <ol tabIndex={0} aria-label="Matches" className="max-h-80 overflow-auto font-mono text-xs leading-relaxed">
      {matches.filter(isRecord).map(({ path, line, text }, at) => (
        <li key={at} className="whitespace-pre">
          <span className="text-sea">{`${String(path)}:${String(line)}`}</span> {String(text)}
        </li>
      ))}
    </ol>
  );
}

function drawProgram({ stdout, stderr, exitCode, signal, note }: Readonly<Record<string, unknown>>): ReactNode {
  if (typeof stdout !== "string") return undefined;
  return (
    <div className="space-y-2">
      <p className={`text-xs ${exitCode === 0 ? "text-soft" : "text-alarm"}`}>
        {typeof signal === "string" ? `Ended by ${signal}` : `Exit code ${String(exitCode)}`}
        {typeof note === "string" && `. ${note}`}
      </p>
      {stdout !== "" && <NumberedCode text={stdout} label="Output" />}
      {typeof stderr === "string" && stderr !== "" && <NumberedCode text={stderr} label="Errors and notes" />}
    </div>
  );
}

const shownImages: readonly unknown[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Images come inside the result, as MCP servers send them; nothing is loaded for them. */
function drawImages(result: unknown): ReactNode {
  const blocks = isRecord(result) && Array.isArray(result["content"]) ? result["content"].filter(isRecord) : [];
  if (!blocks.some(({ type }) => type === "image")) return undefined;
  return blocks.map((block, at) => <ContentBlock key={at} block={block} />);
}

function ContentBlock({ block }: { readonly block: Readonly<Record<string, unknown>> }) {
  const { type, text, data, mimeType } = block;
  if (type === "image" && typeof data === "string" && shownImages.includes(mimeType))
    return (
      <img
        className="max-h-96 max-w-full rounded-lg border border-line"
        alt="From the tool"
        src={`data:${String(mimeType)};base64,${data}`}
      />
    );
  if (type === "text" && typeof text === "string") return <p className="text-sm whitespace-pre-wrap">{text}</p>;
  return <JsonTree value={block} />;
}
