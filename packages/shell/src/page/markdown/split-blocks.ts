// Cuts a text that is still growing into blocks that can be drawn on their own, so that only the last one is
// drawn again. Put together they are the text, character for character. Never cut: inside a code fence, and
// where the next line may belong to what is above (a list, a quote, an indented part).

const fence = /^ {0,3}(`{3,}|~{3,})/;
const continues = /^(?:\s|[-*+>|]|\d{1,9}[.)])/;

export function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  let start = 0;
  let at = 0;
  let openFence: string | undefined;
  let wasBlank = false;
  while (at < text.length) {
    const end = lineEnd(text, at);
    const line = text.slice(at, end);
    if (wasBlank && openFence === undefined && line.trim() !== "" && !continues.test(line)) {
      blocks.push(text.slice(start, at));
      start = at;
    }
    openFence = fenceAfter(line, openFence);
    wasBlank = line.trim() === "";
    at = end;
  }
  if (start < text.length) blocks.push(text.slice(start));
  return blocks;
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at + 1;
}

/** The fence that is open after this line. It ends with one of the same sign, at least as long, and nothing behind it. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  const [, marks] = fence.exec(line) ?? [];
  if (marks === undefined) return open;
  if (open === undefined) return marks;
  const isEnd = marks[0] === open[0] && marks.length >= open.length && line.trim() === marks;
  return isEnd ? undefined : open;
}

/** The code of a block that is nothing but a fence which has not ended; undefined for any other block. */
export function openCode(block: string): { readonly language: string; readonly code: string } | undefined {
  const [, marks] = fence.exec(block) ?? [];
  if (marks === undefined) return undefined;
  const end = lineEnd(block, 0);
  const rest = block.slice(end);
  const isOpen = rest.split("\n").every((line) => fenceAfter(line, marks) !== undefined);
  return isOpen ? { language: block.slice(0, end).trim().slice(marks.length), code: rest } : undefined;
}
