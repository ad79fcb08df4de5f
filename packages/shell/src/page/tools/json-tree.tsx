// A JSON value as a tree that opens. Long lists and texts are drawn in pieces: a result may be large.

import { cutText, reveal } from "@hawser/protocol/internal";
import { useState, type ReactNode } from "react";
import { Button } from "../components/icon.tsx";

interface JsonTreeProps {
  readonly value: unknown;
  readonly name?: string;
  readonly depth?: number;
  /** Down to this level it is open at first. */
  readonly openDepth?: number;
}

const step = 100;
const textChars = 2_000;
const moreLook = "button-quiet min-h-6 px-1 text-xs";

export function JsonTree({ value, name, depth = 0, openDepth = 2 }: JsonTreeProps) {
  const title = name !== undefined && <span className="text-soft">{reveal(name)}: </span>;
  if (typeof value === "object" && value !== null) return <Branch value={value} title={title} depth={depth} openDepth={openDepth} />;
  return (
    <div className="pl-4 font-mono text-xs leading-relaxed">
      {title}
      <Scalar value={value} />
    </div>
  );
}

function Scalar({ value }: { readonly value: unknown }) {
  const [isWhole, setIsWhole] = useState(false);
  if (typeof value !== "string") return <span className="text-rope">{String(value)}</span>;
  const isLong = value.length > textChars && !isWhole;
  return (
    <>
      <span className="whitespace-pre-wrap text-leaf wrap-anywhere">
        {reveal(JSON.stringify(isLong ? cutText(value, textChars, "") : value))}
      </span>
      {isLong && <Button label={`Show all ${value.length} characters`} className={moreLook} onClick={() => setIsWhole(true)} />}
    </>
  );
}

interface BranchProps extends Required<Pick<JsonTreeProps, "depth" | "openDepth">> {
  readonly value: object;
  readonly title: ReactNode;
}

function Branch({ value, title, depth, openDepth }: BranchProps) {
  const [isOpen, setIsOpen] = useState(depth < openDepth);
  const [shown, setShown] = useState(step);
  const members = Object.entries(value);
  const size = Array.isArray(value) ? `[${members.length}]` : `{${members.length}}`;
  return (
    <details open={isOpen} className="pl-4 font-mono text-xs leading-relaxed" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="-ml-4 cursor-pointer">
        {title}
        <span className="text-soft">{size}</span>
      </summary>
      {isOpen &&
        members
          .slice(0, shown)
          .map(([key, member]) => <JsonTree key={key} name={key} value={member} depth={depth + 1} openDepth={openDepth} />)}
      {isOpen && members.length > shown && (
        <Button label={`Show more (${members.length - shown} left)`} className={moreLook} onClick={() => setShown(shown + step)} />
      )}
    </details>
  );
}
