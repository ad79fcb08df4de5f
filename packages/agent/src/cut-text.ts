// A long text in pieces that each have at most so many characters, and never half of one.

export function* cutText(text: string, maxChars: number): Generator<string> {
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + maxChars, text.length);
    const unit = text.charCodeAt(end - 1);
    if (end < text.length && unit >= 0xd800 && unit < 0xdc00) end--;
    yield text.slice(at, end);
    at = end;
  }
}
