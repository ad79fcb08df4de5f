// stdout belongs to the protocol. Whatever else is printed there by our code, a library or a tool
// (console.log, process.stdout.write, fs.write to descriptor 1) goes to stderr instead; one
// stray line would make some hosts give up on the whole process. Also bounds stderr: a host that
// never reads it must not make this process grow or stop.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { limits } from "../limits.ts";

export interface StdoutGuard {
  /** The only way to the real stdout. False means: wait for 'drain'. */
  write(bytes: Buffer, onWritten?: () => void): boolean;
  release(): void;
}

const byDescriptor = ["write", "writeSync", "writev", "writevSync", "writeFile", "writeFileSync", "appendFile", "appendFileSync"] as const;
type Callable = (...parameters: unknown[]) => unknown;

export function guardStdout(): StdoutGuard {
  const { stdout, stderr } = process;
  const writeOut = stdout.write;
  const writeErr = stderr.write;
  const original = new Map(byDescriptor.map((name) => [name, fs[name] as Callable]));

  stderr.write = function boundedWrite(this: typeof stderr, ...parameters: Parameters<typeof writeErr>): boolean {
    if (stderr.writableLength <= limits.maxStderrBytes) return writeErr.apply(stderr, parameters);
    const onWritten = parameters.find((parameter) => typeof parameter === "function");
    if (onWritten) queueMicrotask(onWritten);
    return false;
  } as typeof writeErr;
  stdout.write = ((...parameters: Parameters<typeof writeErr>) => stderr.write(...parameters)) as typeof writeOut;
  for (const [name, call] of original) {
    (fs as unknown as Record<string, Callable>)[name] = (target, ...rest) => call.call(fs, target === 1 ? 2 : target, ...rest);
  }
  syncBuiltinESMExports();

  return {
    write: (bytes, onWritten) => writeOut.call(stdout, bytes, undefined, onWritten && ((): void => onWritten())),
    release() {
      stdout.write = writeOut;
      stderr.write = writeErr;
      Object.assign(fs, Object.fromEntries(original));
      syncBuiltinESMExports();
    },
  };
}
