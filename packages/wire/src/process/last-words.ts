// The end of what a process writes to stderr: where one that dies says why. Of any length of it only the end is kept, in
// whole characters, wherever the pipe or the cut parts them.

import { limits } from "../limits.ts";

export interface LastWords {
  add(chunk: Uint8Array): void;
  readonly text: string;
}

export function createLastWords(maxChars: number = limits.maxErrorTextChars): LastWords {
  const decoder = new TextDecoder();
  let text = "";
  return {
    add(chunk) {
      text = (text + decoder.decode(chunk, { stream: true })).slice(-maxChars);
      const first = text.charCodeAt(0);
      if (first >= 0xdc00 && first < 0xe000) text = text.slice(1);
    },
    get text() {
      return text;
    },
  };
}
