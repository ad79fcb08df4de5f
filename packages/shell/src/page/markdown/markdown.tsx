// What a model writes, as Markdown. HTML in it stays text; links lead only to http, https and mailto, and
// open elsewhere; an image is a link, since loading it would tell a stranger that it was read.

import { shellLimits } from "../../limits.ts";
import { memo, type ReactNode } from "react";
import ReactMarkdown, { type Components, type ExtraProps } from "react-markdown";
import { Fallback } from "../components/fallback.tsx";
import { CodeBlock } from "./code-block.tsx";
import type { MarkdownProps } from "./late-markdown.tsx";
import { isTooHeavy, codeOf, splitBlocks } from "./split-blocks.ts";
import { PlainText } from "./plain-text.tsx";
import remarkGfm from "remark-gfm";

const allowedAddress = /^(?:https?:\/\/|mailto:)/i;

/** Undefined for an address that must not be followed. */
const toSafeAddress = (address: string | undefined): string | undefined =>
  address !== undefined && allowedAddress.test(address) ? address : undefined;

function SafeLink({ address, children }: { readonly address: string | undefined; readonly children: ReactNode }) {
  const safe = toSafeAddress(address);
  if (safe === undefined) return <span>{children}</span>;
  return (
    <a href={safe} title={safe} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** The text and the language of a `pre`, from what the parser made of it. */
function readCode(node: ExtraProps["node"]): { code: string; language: string } {
  const [code] = node?.children ?? [];
  if (code?.type !== "element") return { code: "", language: "" };
  const names = code.properties["className"];
  const language = Array.isArray(names) ? (names[0] ?? "").replace(/^language-/, "") : "";
  return { code: code.children.map((child) => (child.type === "text" ? child.value : "")).join(""), language };
}

const components: Components = {
  a: ({ href, children }) => <SafeLink address={href}>{children}</SafeLink>,
  img: ({ src, alt }) => <SafeLink address={typeof src === "string" ? src : undefined}>{`image: ${alt || String(src)}`}</SafeLink>,
  // The marks stand where the text begins.
  ul: ({ children, className }) => (
    <ul dir="auto" className={className}>
      {children}
    </ul>
  ),
  ol: ({ children, className, start }) => (
    <ol dir="auto" className={className} start={start}>
      {children}
    </ol>
  ),
  blockquote: ({ children }) => <blockquote dir="auto">{children}</blockquote>,
  pre: ({ node }) => <CodeBlock {...readCode(node)} />,
  table: ({ children }) => (
    <div className="max-w-full overflow-x-auto" role="region" aria-label="Table" tabIndex={0}>
      <table dir="auto">{children}</table>
    </div>
  ),
  input: ({ checked }) => (
    <span role="img" aria-label={checked ? "done" : "not done"}>
      {checked ? "☑ " : "☐ "}
    </span>
  ),
};

const plugins = [remarkGfm];

export const Markdown = memo(function Markdown({ text, isGrowing }: MarkdownProps) {
  if (text.length > shellLimits.shellMarkdownChars) return <PlainText text={text} />;
  const blocks = isGrowing || isTooHeavy(text) ? splitBlocks(text) : [text];
  return (
    <div className="answer">
      {blocks.map((block, at) => (
        // A block is known by its place: those before the last never change.
        <Block key={at} text={block} />
      ))}
    </div>
  );
});

const Block = memo(function Block({ text }: { readonly text: string }) {
  const code = codeOf(text);
  if (code)
    return (
      <div className="answer-block">
        <CodeBlock {...code} />
      </div>
    );
  if (isTooHeavy(text)) return <PlainText text={text} />;
  return (
    <Fallback instead={() => <PlainText text={text} />}>
      <div className="answer-block">
        <ReactMarkdown remarkPlugins={plugins} components={components} urlTransform={(address) => toSafeAddress(address) ?? ""}>
          {text}
        </ReactMarkdown>
      </div>
    </Fallback>
  );
});
