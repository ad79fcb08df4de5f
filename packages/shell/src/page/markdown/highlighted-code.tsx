// Code in colours. It stands there as it is at once, and gets its colours when they are known, which moves nothing; what grows keeps
// the colours of its beginning meanwhile.

import { memo, useEffect, useState } from "react";
import { highlight, type CodePiece } from "./highlight.ts";

interface Coloured {
  readonly code: string;
  readonly language: string;
  readonly pieces: readonly CodePiece[];
}

// Code that is being written changes with every token.
const settleMs = 120;

export const HighlightedCode = memo(function HighlightedCode({ code, language }: { readonly code: string; readonly language: string }) {
  const [coloured, setColoured] = useState<Coloured>();
  useEffect(() => {
    let isLeft = false;
    const timer = setTimeout(() => {
      void highlight(code, language).then((pieces) => (isLeft || !pieces ? undefined : setColoured({ code, language, pieces })));
    }, settleMs);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [code, language]);
  if (!coloured || coloured.language !== language || !code.startsWith(coloured.code)) return code;
  return (
    <>
      {coloured.pieces.map(([sort, text], at) =>
        sort === "" ? (
          text
        ) : (
          <span key={at} className={`code-${sort}`}>
            {text}
          </span>
        ),
      )}
      {code.slice(coloured.code.length)}
    </>
  );
});

/** By the end of a file's name, which the grammars know as well. */
export function languageOf(path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? "";
  const [, ending] = /\.([A-Za-z0-9]{1,12})$/.exec(name) ?? [];
  return (ending ?? (/^(?:makefile|dockerfile)$/i.test(name) ? name : "")).toLowerCase();
}
