// Where in a module a syntax error is that only the engine sees: its error names neither file nor line, but
// `node --check` prints both. Nothing of the module is run.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";

const checkMs = 30_000;

/** Undefined when the module itself is in order; then the error is in one that it imports. */
export function findSyntaxErrorLine(modulePath: string): number | undefined {
  const { stderr } = spawnSync(process.execPath, ["--check", "--input-type=module", "-"], {
    input: readJavaScript(modulePath),
    encoding: "utf8",
    timeout: checkMs,
  });
  const [, line] = /^\[stdin\]:(\d+)$/m.exec(stderr) ?? [];
  return line === undefined ? undefined : Number(line);
}

/** Types become spaces, so that lines stay where they were. */
function readJavaScript(modulePath: string): string {
  const source = readFileSync(modulePath, "utf8");
  return /\.[cm]?ts$/.test(modulePath) ? withoutWarning(() => stripTypeScriptTypes(source)) : source;
}

// Node calls the function experimental on stderr; it has just done the same to this module to load it.
function withoutWarning<Result>(run: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return run();
  } finally {
    process.emitWarning = emitWarning;
  }
}
