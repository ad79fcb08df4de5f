// The content of a file with the numbers of its lines, and the difference that an edit makes. The first
// lines are drawn; the rest on demand.

import { reveal } from "@hawser/protocol";
import { useState } from "react";
import { Button } from "../components/icon.tsx";
import { CodeFrame } from "../markdown/code-block.tsx";
import { diffLines } from "./line-diff.ts";

const shownLines = 300;

interface NumberedCodeProps {
  readonly text: string;
  readonly label: string;
  readonly firstNumber?: number;
}

export function NumberedCode({ text, label: givenLabel, firstNumber = 1 }: NumberedCodeProps) {
  const label = reveal(givenLabel);
  const [isWhole, setIsWhole] = useState(false);
  const lines = text.replace(/\n$/, "").split("\n");
  const shown = isWhole ? lines : lines.slice(0, shownLines);
  return (
    <CodeFrame label={label} text={text}>
      <div tabIndex={0} role="region" aria-label={label} className="flex max-h-96 overflow-auto font-mono text-xs leading-relaxed">
        <pre aria-hidden="true" className="sticky left-0 border-r border-line bg-raised px-2 py-2 text-right text-soft select-none">
          {shown.map((_, at) => at + firstNumber).join("\n")}
        </pre>
        <pre className="px-3 py-2">{reveal(shown.join("\n"))}</pre>
      </div>
      {shown.length < lines.length && <ShowAll count={lines.length} onClick={() => setIsWhole(true)} />}
    </CodeFrame>
  );
}

const looks = {
  same: { sign: " ", className: "" },
  removed: { sign: "−", className: "bg-alarm-wash text-alarm" },
  added: { sign: "+", className: "bg-leaf-wash text-leaf" },
} as const;

interface DiffViewProps {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}

export function DiffView({ before, after, label: givenLabel }: DiffViewProps) {
  const label = reveal(givenLabel);
  const [isWhole, setIsWhole] = useState(false);
  const lines = diffLines(before, after);
  const shown = isWhole ? lines : lines.slice(0, shownLines);
  return (
    <CodeFrame label={label} text={after}>
      <div tabIndex={0} role="region" aria-label={label} className="max-h-96 overflow-auto py-1 font-mono text-xs leading-relaxed">
        {shown.map(({ kind, text }, at) => (
          // Wrapped, spaces too: nothing of a change may stand out of sight to the right.
          <pre key={at} className={`px-3 wrap-anywhere whitespace-break-spaces ${looks[kind].className}`}>
            <span className="inline-block w-4 select-none">{looks[kind].sign}</span>
            {kind !== "same" && <span className="sr-only">{kind}: </span>}
            {reveal(text)}
          </pre>
        ))}
      </div>
      {shown.length < lines.length && <ShowAll count={lines.length} onClick={() => setIsWhole(true)} />}
    </CodeFrame>
  );
}

function ShowAll({ count, onClick }: { readonly count: number; onClick(): void }) {
  return <Button label={`Show all ${count} lines`} className="button-quiet w-full rounded-none text-xs" onClick={onClick} />;
}
