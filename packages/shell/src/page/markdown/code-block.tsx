// Code: as it is, with its language and a button to copy it. Wide lines scroll.

import { CopyButton } from "./copy-button.tsx";

interface CodeBlockProps {
  readonly code: string;
  readonly language?: string;
}

export function CodeBlock({ code, language = "" }: CodeBlockProps) {
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-sheet">
      <figcaption className="flex items-center justify-between border-b border-line bg-raised py-0.5 pr-1 pl-3 font-mono text-xs text-soft">
        <span>{language || "text"}</span>
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      <pre
        tabIndex={0}
        aria-label={`Code${language && `, ${language}`}`}
        className="overflow-x-auto p-3 font-mono text-[0.84rem] leading-relaxed"
      >
        <code>{code}</code>
      </pre>
    </figure>
  );
}
