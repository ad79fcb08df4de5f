// What a tool returned, drawn as what it is: a file with line numbers, a new file, a difference, a list, what
// a program printed, an image, a text; and anything else as a tree.

import { isRecord, reveal } from "@hawser/protocol/internal";
import { shellLimits } from "../../limits.ts";
import { useState, type ReactNode } from "react";
import type { FileDiff, ToolPart } from "../state/page-state.ts";
import { Diffs } from "./about-use.tsx";
import { commandLine } from "./describe-call.ts";
import { JsonTree } from "./json-tree.tsx";
import { DiffView, NumberedCode } from "./numbered-code.tsx";

export function ToolResult({ tool }: { readonly tool: ToolPart }) {
  const { result, error, diffs = [] } = tool;
  const drawn = diffs.length > 0 ? <Diffs diffs={diffs} /> : (drawKnown(tool) ?? drawContent(result));
  if (drawn) return drawn;
  if (result === null || result === undefined || result === error) return null;
  return typeof result === "string" ? <NumberedCode text={result} label="Result" /> : <JsonTree value={result} name="result" />;
}

function drawKnown({ toolName, input, result, state, permission }: ToolPart): ReactNode {
  if (state !== "done") return undefined;
  const given = isRecord(input) ? input : {};
  const returned = isRecord(result) ? result : {};
  switch (toolName) {
    case "read_file":
      return drawFile(returned);
    case "write_file":
      return <ChangePreview toolName={toolName} input={given} />;
    case "edit_file":
      return drawEdit(given, returned["line"], permission?.diffs);
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

interface ChangePreviewProps {
  readonly toolName: string;
  readonly input: unknown;
  readonly openDepth?: number;
  /** Of the line in which an edit begins, where it is known. */
  readonly firstNumber?: number | undefined;
}

/** What `write_file` and `edit_file` do to a file, and what any other tool is given; also shown before they may. */
export function ChangePreview({ toolName, input, openDepth = 2, firstNumber }: ChangePreviewProps): ReactNode {
  const given = isRecord(input) ? input : {};
  const command = commandLine(given);
  if (command !== undefined) return <CommandPreview command={command} input={given} openDepth={openDepth} />;
  const { path, content, oldText, newText, ...others } = given;
  let change: ReactNode;
  if (toolName === "write_file" && typeof content === "string" && oldText === undefined && newText === undefined)
    change = <DiffView before="" after={content} label={`New content of ${String(path)}`} firstNumber={1} />;
  if (toolName === "edit_file" && typeof oldText === "string" && typeof newText === "string" && content === undefined)
    change = <DiffView before={oldText} after={newText} label={`Change in ${String(path)}`} firstNumber={firstNumber} />;
  if (!change && isEmptyInput(input)) return null;
  if (!change) return <JsonTree value={input} name="input" openDepth={openDepth} />;
  return (
    <>
      {change}
      {Object.keys(others).length > 0 && <JsonTree value={others} name="also" openDepth={openDepth} />}
    </>
  );
}

const isEmptyInput = (input: unknown): boolean =>
  input === null || input === undefined || (isRecord(input) && Object.keys(input).length === 0);

function CommandPreview({ command, input, openDepth }: { command: string; input: Readonly<Record<string, unknown>>; openDepth: number }) {
  const { command: _, args, ...rest } = input;
  // Arguments are part of the line only as a list.
  const others = Array.isArray(args) || args === undefined ? rest : { args, ...rest };
  return (
    <>
      <DiffView before={command} after={command} label="Command" />
      {Object.keys(others).length > 0 && <JsonTree value={others} name="also" openDepth={openDepth} />}
    </>
  );
}

/** With the neighbours that its question has shown, or from the line that it says. */
function drawEdit(given: object, line: unknown, foreseen: readonly FileDiff[] = []): ReactNode {
  if (foreseen.length > 0) return <Diffs diffs={foreseen} />;
  return <ChangePreview toolName="edit_file" input={given} firstNumber={typeof line === "number" ? line : undefined} />;
}

function drawFile({ content, path, offset, truncated }: Readonly<Record<string, unknown>>): ReactNode {
  if (typeof content !== "string") return undefined;
  return (
    <>
      <NumberedCode text={content} label={String(path)} path={String(path)} firstNumber={typeof offset === "number" ? offset : 1} />
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
          {reveal(String(file))}
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
          <span className="text-sea">{reveal(`${String(path)}:${String(line)}`)}</span> {reveal(String(text))}
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
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** What MCP servers send, as it comes: texts as texts, images from what is in the result; nothing is loaded for them. */
function drawContent(result: unknown): ReactNode {
  const blocks = isRecord(result) && Array.isArray(result["content"]) ? result["content"] : [];
  if (blocks.length === 0 || !blocks.every((block) => isRecord(block) && typeof block["type"] === "string")) return undefined;
  return (
    <div className="space-y-2">
      {blocks.map((block: Readonly<Record<string, unknown>>, at) => (
        <ContentBlock key={at} block={block} />
      ))}
    </div>
  );
}

function ContentBlock({ block }: { readonly block: Readonly<Record<string, unknown>> }) {
  const { type, text, data, mimeType } = block;
  if (type === "text" && typeof text === "string") return <NumberedCode text={text} label="Text" />;
  if (type !== "image" || typeof data !== "string") return <JsonTree value={block} />;
  if (!shownImages.includes(mimeType) || data.length > shellLimits.shellImageChars || !base64.test(data))
    return <p className="text-sm text-soft">{`An image that is not shown: ${reveal(String(mimeType))}, ${data.length} characters.`}</p>;
  return <ToolImage address={`data:${String(mimeType)};base64,${data}`} />;
}

function ToolImage({ address }: { readonly address: string }) {
  const [isBroken, setIsBroken] = useState(false);
  if (isBroken) return <p className="text-sm text-soft">An image that can't be read.</p>;
  const look = "max-h-96 max-w-full rounded-lg border border-line";
  return <img className={look} alt="From the tool" src={address} onError={() => setIsBroken(true)} />;
}
