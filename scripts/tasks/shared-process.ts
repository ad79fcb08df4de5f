// Test files that may share a process, one after the other. A process for each costs more than most of these take; but
// a file that starts programs, listens, sends signals or changes what others see needs one of its own. Read from their texts.

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** What tells that a file, or one of the tests' own that it imports, needs a process of its own. */
const ownProcess = new RegExp(
  [
    // Others, and connections to them.
    /node:(?:child_process|cluster|dgram|http2?|https|net|tls|worker_threads)|playwright|\/proc\b/,
    // The process itself: its signals, streams, environment and memory. What it is may be read.
    /process\.(?!arch\b|execPath\b|hrtime\b|nextTick\b|platform\b|versions?\b)|node:process|node:(?:v8|async_hooks|diagnostics_channel)|FinalizationRegistry/,
    // What every file sees.
    /\bvi\b|globalThis|[lL]imits\b(?:\.\w+|\[[^\]]*\])\s*[-+*/]?=(?!=)|Object\.assign\([^)]*[lL]imits/,
  ]
    .map(({ source }) => source)
    .join("|"),
);

/** A hook that a file registers as it is loaded. In a shared process a helper is loaded once, so only the first test file would get its hook. */
const loadedHook = /^(?:after|before)(?:All|Each)\(/m;

/** Whether this file may share its process; paths from the root. */
export function sharesProcess(root: string, file: string, seen = new Set<string>()): boolean {
  const path = join(root, file);
  if (seen.has(path)) return true;
  seen.add(path);
  const text = readFileSync(path, "utf8");
  if (!file.endsWith(".test.ts") && loadedHook.test(text)) return false;
  const lines = text.split("\n").filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line));
  if (lines.some((line) => ownProcess.test(line))) return false;
  const imported = [...text.matchAll(/(?:from|import)\s*\(?"(\.[^"]+\.ts)"/g)].map(([, name = ""]) => resolve(dirname(path), name));
  return imported.filter((name) => /\/test\//.test(name)).every((name) => sharesProcess(root, name.slice(root.length + 1), seen));
}
