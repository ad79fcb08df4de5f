// Code: as it is, in a frame with its name and a button to copy it. Wide lines scroll.

import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";
import { HighlightedCode } from "./highlighted-code.tsx";

interface CodeFrameProps {
  readonly label: string;
  /** What is copied. */
  readonly text: string;
  readonly copyLabel?: string;
  readonly children: ReactNode;
}

export function CodeFrame({ label, text, copyLabel = `Copy ${label}`, children }: CodeFrameProps) {
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-sheet">
      <figcaption className="flex items-center justify-between gap-2 border-b border-line bg-raised py-0.5 pr-1 pl-3 font-mono text-xs text-soft [&>span]:truncate">
        <span>{label}</span>
        <CopyButton text={text} label={copyLabel} />
      </figcaption>
      {children}
    </figure>
  );
}

export function CodeBlock({ code, language }: { readonly code: string; readonly language: string }) {
  return (
    <CodeFrame label={language || "text"} text={code} copyLabel="Copy code">
      <pre tabIndex={0} aria-label={`Code${language && `, ${language}`}`} className="overflow-x-auto p-3 font-mono text-sm leading-relaxed">
        <code>
          <HighlightedCode code={code} language={language.toLowerCase()} />
        </code>
      </pre>
    </CodeFrame>
  );
}
