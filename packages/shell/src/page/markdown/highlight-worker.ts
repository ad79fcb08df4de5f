// Finds out what is what in code: keywords, texts, numbers. It runs beside the page, in a worker: code of any kind may take its
// time here, and the page can end it. It is given texts and gives texts back, never HTML.

import { common, createLowlight } from "lowlight";
import type { CodePiece, CodeSort, HighlightAnswer, HighlightQuestion } from "./highlight.ts";

const lowlight = createLowlight(common);

/** What the grammars tell apart, as the few colours that the page has. */
const sorts: Readonly<Record<string, CodeSort>> = {
  comment: "comment",
  quote: "comment",
  meta: "comment",
  keyword: "keyword",
  doctag: "keyword",
  operator: "keyword",
  "selector-tag": "keyword",
  "template-tag": "keyword",
  string: "text",
  regexp: "text",
  link: "text",
  char: "text",
  number: "value",
  literal: "value",
  symbol: "value",
  bullet: "value",
  title: "name",
  section: "name",
  name: "name",
  type: "name",
  attr: "name",
  attribute: "name",
  built_in: "name",
  "selector-class": "name",
  "selector-id": "name",
  addition: "added",
  deletion: "removed",
};

type Tree = ReturnType<typeof lowlight.highlight>;

/** One after the other, as they stand in the code. */
function flatten({ children }: Pick<Tree, "children">, sort: CodeSort | "" = ""): CodePiece[] {
  return children.flatMap((node): CodePiece[] => {
    if (node.type === "text") return [[sort, node.value]];
    if (node.type !== "element") return [];
    const names = node.properties["className"];
    const name = Array.isArray(names) ? String(names[0]).replace(/^hljs-/, "") : "";
    return flatten(node as Pick<Tree, "children">, Object.hasOwn(sorts, name) ? sorts[name] : sort);
  });
}

addEventListener("message", ({ data }: MessageEvent<HighlightQuestion>) => {
  const { code, language } = data;
  const pieces = lowlight.registered(language) ? flatten(lowlight.highlight(language, code)) : undefined;
  (globalThis as unknown as Worker).postMessage({ pieces } satisfies HighlightAnswer);
});
