// A unified diff, inline or side by side, with the numbers of its lines and what stays beside them. Long ones are drawn on demand.

import { reveal } from "@hawser/protocol";
import { useMemo, useState } from "react";
import { Button } from "../components/icon.tsx";
import type { NumberedLine } from "./line-diff.ts";
import { DiffRow, lineLooks } from "./numbered-code.tsx";
import { parseUnified, toSides, type SidedLine } from "./unified-lines.ts";

export type DiffLayout = "inline" | "sides";

interface UnifiedDiffProps {
  readonly label: string;
  readonly diff: string;
  readonly layout: DiffLayout;
}

const shownRows = 300;

export function UnifiedDiff({ label, diff, layout }: UnifiedDiffProps) {
  const [isWhole, setIsWhole] = useState(false);
  const rows = useMemo(() => (layout === "sides" ? toSides(parseUnified(diff)) : parseUnified(diff)), [diff, layout]);
  const shown = isWhole ? rows : rows.slice(0, shownRows);
  return (
    <div className="border-t border-line">
      <div tabIndex={0} role="group" aria-label={label} className="max-h-[28rem] overflow-auto py-1 font-mono text-xs leading-relaxed">
        {shown.map((row, at) => {
          if (row.kind === "gap") return <Between key={at} text={row.lines === 1 ? "1 line that stays" : `${row.lines} lines that stay`} />;
          if (row.kind === "end") return <Between key={at} text="No line feed at the end" />;
          return row.kind === "sides" ? <SidedRow key={at} row={row} /> : <DiffRow key={at} line={row} hasNumbers />;
        })}
      </div>
      {shown.length < rows.length && (
        <Button
          label={`Show all ${rows.length} lines`}
          className="button-quiet w-full rounded-none text-xs"
          onClick={() => setIsWhole(true)}
        />
      )}
    </div>
  );
}

function Between({ text }: { readonly text: string }) {
  return <p className="bg-raised/50 px-3 py-0.5 text-soft">{text}</p>;
}

function SidedRow({ row: { left, right } }: { readonly row: SidedLine }) {
  return (
    <div className="grid grid-cols-2 divide-x divide-line">
      <Half line={left} number={left?.old} />
      <Half line={right} number={right?.new} isRepeated={right?.kind === "same"} />
    </div>
  );
}

interface HalfProps {
  readonly line: NumberedLine | undefined;
  readonly number: number | undefined;
  /** A screen reader has heard it on the left. */
  readonly isRepeated?: boolean;
}

function Half({ line, number, isRepeated = false }: HalfProps) {
  if (!line) return <div className="bg-raised/40" />;
  const { sign, className } = lineLooks[line.kind];
  return (
    <div aria-hidden={isRepeated || undefined} className={`flex min-w-0 px-2 ${className}`}>
      <span aria-hidden="true" className={`min-w-8 shrink-0 pr-2 text-right select-none ${line.kind === "same" ? "text-soft" : ""}`}>
        {number}
      </span>
      <span aria-hidden="true" className="w-4 shrink-0 select-none">
        {sign}
      </span>
      <pre className="min-w-0 flex-1 wrap-anywhere whitespace-break-spaces">
        {line.kind !== "same" && <span className="sr-only">{line.kind}: </span>}
        {reveal(line.text)}
      </pre>
    </div>
  );
}
