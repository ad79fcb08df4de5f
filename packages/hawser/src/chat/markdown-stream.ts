// Markdown for a terminal, as it arrives. Only what is needed to know what comes is held back: the marks at the beginning of a
// line, a star that may become two. Whatever is not known is shown as it is.

import type { Format, Paint } from "../command-line/output.ts";

type Look = Exclude<Format, readonly unknown[]>;

// Longer beginnings of lines are text, whatever they begin with.
const maxHeadChars = 80;

const undecided = /^\s*(?:#{1,6}|[-*+]|\d{1,3}[.)]?|>|`{1,2}|~{1,2})?$/;
const fenceStart = /^\s*(```+|~~~+)(.*)$/;
const heading = /^ {0,3}#{1,6} /;
const bullet = /^(\s*)[-*+] /;
const quote = /^ {0,3}> ?/;

export function createMarkdownStream(paint: Paint) {
  let head: string | undefined = "";
  let fence: string | undefined;
  let look: Look[] = [];
  let isBold = false;
  let isCode = false;
  let held = "";
  let before = "\n";

  const styled = (text: string): string => {
    const formats: Look[] = [...look, ...(isBold ? (["bold"] as const) : []), ...(isCode ? (["cyan"] as const) : [])];
    return formats.length === 0 || text === "" ? text : paint(formats, text);
  };

  function beginLine(): void {
    head = "";
    look = [];
    held = "";
    before = "\n";
  }

  /** The marks of a line are known, or it has ended: shows them, and lets the rest be text. */
  function openLine(text: string): string {
    head = undefined;
    if (heading.test(text)) {
      look = ["bold", "underline"];
      return inline(text.replace(heading, ""));
    }
    const [mark, indent = ""] = bullet.exec(text) ?? [];
    if (mark !== undefined) return `${indent}• ${inline(text.slice(mark.length))}`;
    if (!quote.test(text)) return inline(text);
    look = ["dim"];
    return `${paint("dim", "│ ")}${inline(text.replace(quote, ""))}`;
  }

  function inline(text: string): string {
    let shown = "";
    let run = "";
    const flush = (): void => {
      shown += styled(run);
      run = "";
    };
    for (const character of text) {
      const isDouble = character === "*" && held === "*";
      if (character === "*" && !isDouble && !isCode) {
        held = "*";
        continue;
      }
      if (isDouble) {
        held = "";
        flush();
        isBold = !isBold;
      } else {
        run += held;
        held = "";
        if (character === "`") {
          flush();
          isCode = !isCode;
        } else run += character;
      }
      before = character;
    }
    flush();
    return shown;
  }

  function endLine(): string {
    const rest = styled(held);
    // Bold may go on over a line's end, but not over an empty line; code does not at all.
    if (before === "\n") isBold = false;
    isCode = false;
    beginLine();
    return `${rest}\n`;
  }

  function fenceLine(text: string): string {
    const [, mark = "", info = ""] = fenceStart.exec(text) ?? [];
    fence = fence === undefined ? mark : undefined;
    isBold = false;
    beginLine();
    return fence === undefined ? "" : `${paint("dim", `  ── ${info.trim() || "code"}`)}\n`;
  }

  const isFence = (text: string): boolean => {
    const [, mark = "", info = ""] = fenceStart.exec(text) ?? [];
    return fence === undefined ? mark !== "" && !info.includes("`") : mark.startsWith(fence) && info.trim() === "";
  };
  const mayBeFence = (text: string): boolean => /^\s*(?:`{0,2}|~{0,2})$/.test(text) || fenceStart.test(text);

  const openCode = (text: string): string => {
    head = undefined;
    return `    ${paint("cyan", text)}`;
  };

  /** A piece of one line, without its end. */
  function takePiece(piece: string): string {
    if (head === undefined) return fence === undefined ? inline(piece) : paint("cyan", piece);
    head += piece;
    if (head.length <= maxHeadChars && mayBeFence(head)) return "";
    if (fence !== undefined) return openCode(head);
    return head.length <= maxHeadChars && undecided.test(head) ? "" : openLine(head);
  }

  function takeLineEnd(): string {
    if (head !== undefined && isFence(head)) return fenceLine(head);
    if (fence !== undefined) {
      const rest = head === undefined || head === "" ? "" : openCode(head);
      beginLine();
      return `${rest}\n`;
    }
    const shown = head === undefined ? "" : openLine(head);
    return shown + endLine();
  }

  return {
    /** What of it can be shown now. */
    push(text: string): string {
      const [first = "", ...others] = text.split("\n");
      let shown = first === "" ? "" : takePiece(first);
      for (const piece of others) shown += takeLineEnd() + (piece === "" ? "" : takePiece(piece));
      return shown;
    },
    /** What was held back. The next text begins a new one. */
    end(): string {
      const shown = head === undefined || head === "" || isFence(head) ? "" : fence === undefined ? openLine(head) : openCode(head);
      const rest = shown + styled(held);
      beginLine();
      fence = undefined;
      isBold = false;
      isCode = false;
      return rest;
    },
  };
}
