// The content of a file with the numbers of its lines, and the difference that an edit makes. The first lines are drawn, the rest
// piece by piece on demand: a text may have megabytes.

import { reveal } from "@hawser/protocol";
import { useMemo, useState } from "react";
import { Button } from "../components/icon.tsx";
import { CodeFrame } from "../markdown/code-block.tsx";
import { HighlightedCode, languageOf } from "../markdown/highlighted-code.tsx";
import { diffLines, foldDiff, type NumberedLine } from "./line-diff.ts";
import { countLines, endOfPart } from "./text-part.ts";

const shownLines = 300;
const moreLines = 2_000;
const shownChars = 60_000;

interface NumberedCodeProps {
  readonly text: string;
  readonly label: string;
  readonly firstNumber?: number;
  /** Of a file, by whose name the language is known. */
  readonly path?: string;
}

export function NumberedCode({ text, label: givenLabel, firstNumber = 1, path }: NumberedCodeProps) {
  const label = reveal(givenLabel);
  const [end, setEnd] = useState(() => endOfPart(text, 0, shownLines, shownChars));
  const shown = useMemo(() => reveal(text.slice(0, end).replace(/\n$/, "")), [text, end]);
  const numbers = useMemo(() => toNumbers(firstNumber, countLines(shown)), [firstNumber, shown]);
  return (
    <CodeFrame label={label} text={text}>
      <div tabIndex={0} role="region" aria-label={label} className="flex max-h-96 overflow-auto font-mono text-xs leading-relaxed">
        <pre aria-hidden="true" className="sticky left-0 border-r border-line bg-raised px-2 py-2 text-right text-soft select-none">
          {numbers}
        </pre>
        <pre className="px-3 py-2">
          <HighlightedCode code={shown} language={path === undefined ? "" : languageOf(path)} />
        </pre>
      </div>
      {end < text.length && <ShowMore rest={text.slice(end)} onClick={() => setEnd(endOfPart(text, end, moreLines, 4 * shownChars))} />}
    </CodeFrame>
  );
}

const toNumbers = (first: number, count: number): string => Array.from({ length: Math.max(1, count) }, (_, at) => at + first).join("\n");

// More would take longer than a person waits for.
const comparedChars = 2_000_000;

export const lineLooks = {
  same: { sign: " ", className: "" },
  removed: { sign: "−", className: "bg-alarm-wash text-alarm" },
  added: { sign: "+", className: "bg-leaf-wash text-leaf" },
} as const;

interface DiffViewProps {
  readonly before: string;
  readonly after: string;
  readonly label: string;
  /** Of the first line of both; without it there are no numbers, since those of a part would be wrong ones. */
  readonly firstNumber?: number | undefined;
}

export function DiffView({ before, after, label: givenLabel, firstNumber }: DiffViewProps) {
  const hasNumbers = firstNumber !== undefined;
  const label = reveal(givenLabel);
  const [isWhole, setIsWhole] = useState(false);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const isHuge = before.length + after.length > comparedChars;
  const rows = useMemo(() => (isHuge ? [] : foldDiff(diffLines(before, after), firstNumber)), [before, after, isHuge, firstNumber]);
  if (isHuge) return <NumberedCode text={after} label={`${label}, all of the new text`} />;
  const shown = isWhole ? rows : rows.slice(0, shownLines);
  const count = rows.reduce((sum, row) => sum + (row.kind === "folded" ? row.lines.length : 1), 0);
  return (
    <CodeFrame label={label} text={after}>
      <div tabIndex={0} role="region" aria-label={label} className="max-h-96 overflow-auto py-1 font-mono text-xs leading-relaxed">
        {shown.map((row, at) =>
          row.kind !== "folded" ? (
            <DiffRow key={at} line={row} hasNumbers={hasNumbers} />
          ) : opened.has(at) ? (
            row.lines.map((line) => <DiffRow key={`${at}-${line.new}`} line={line} hasNumbers={hasNumbers} />)
          ) : (
            <Button
              key={at}
              label={`${row.lines.length} lines that stay`}
              className="button-quiet min-h-6 w-full justify-start rounded-none border-0 bg-raised/50 px-3 py-0 text-xs"
              onClick={() => setOpened(new Set([...opened, at]))}
            />
          ),
        )}
      </div>
      {shown.length < rows.length && <ShowAll count={count} onClick={() => setIsWhole(true)} />}
    </CodeFrame>
  );
}

export function DiffRow({ line, hasNumbers }: { readonly line: NumberedLine; readonly hasNumbers: boolean }) {
  const { kind, text } = line;
  return (
    <div className={`flex px-3 ${lineLooks[kind].className}`}>
      {hasNumbers && (
        <span aria-hidden="true" className={`flex shrink-0 pr-2 text-right select-none ${kind === "same" ? "text-soft" : ""}`}>
          <span className="min-w-7">{kind === "added" ? "" : line.old}</span>
          <span className="min-w-7">{kind === "removed" ? "" : line.new}</span>
        </span>
      )}
      <span aria-hidden="true" className="w-4 shrink-0 select-none">
        {lineLooks[kind].sign}
      </span>
      {/* Wrapped, spaces too: nothing of a change may stand out of sight to the right. */}
      <pre className="min-w-0 flex-1 wrap-anywhere whitespace-break-spaces">
        {kind !== "same" && <span className="sr-only">{kind}: </span>}
        {reveal(text)}
      </pre>
    </div>
  );
}

function ShowAll({ count, onClick }: { readonly count: number; onClick(): void }) {
  return <Button label={`Show all ${count} lines`} className={moreLook} onClick={onClick} />;
}

function ShowMore({ rest, onClick }: { readonly rest: string; onClick(): void }) {
  const lines = useMemo(() => countLines(rest), [rest]);
  const left = lines > 1 ? `${lines.toLocaleString("en")} lines` : `${rest.length.toLocaleString("en")} characters`;
  return <Button label={`Show more (${left} left)`} className={moreLook} onClick={onClick} />;
}

const moreLook = "button-quiet w-full rounded-none text-xs";
