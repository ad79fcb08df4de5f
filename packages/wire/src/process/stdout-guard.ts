// stdout belongs to the protocol. Whatever else is printed there (console.log, process.stdout.write, fs.write to descriptor 1)
// goes to stderr instead; one stray line would make some hosts give up on the whole process. Also tames stderr: a host that
// never reads it, or closes it, must not make this process grow, stop or fail.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { countDropped, isStderrFull, takeDropNotice } from "../log.ts";

export interface StdoutGuard {
  /** The only way to the real stdout. False means: wait for 'drain'. */
  write(bytes: Buffer, onWritten?: (error?: Error | null) => void): boolean;
  release(): void;
}

const byDescriptor = ["write", "writeSync", "writev", "writevSync", "writeFile", "writeFileSync", "appendFile", "appendFileSync"] as const;
type Callable = (...parameters: unknown[]) => unknown;

export function guardStdout(): StdoutGuard {
  const { stdout, stderr } = process;
  const { write: writeOut, end: endOut } = stdout;
  const writeErr = stderr.write;
  const original = new Map(byDescriptor.map((name) => [name, fs[name] as Callable]));
  const ignore = (): void => {};

  stderr.on("error", ignore);
  stderr.write = function boundedWrite(this: typeof stderr, ...parameters: Parameters<typeof writeErr>): boolean {
    if (!isStderrFull()) {
      const notice = takeDropNotice();
      if (notice !== "") writeErr.call(stderr, notice);
      return writeErr.apply(stderr, parameters);
    }
    countDropped(countBytes(parameters[0], parameters[1]));
    afterwards(parameters);
    return false;
  } as typeof writeErr;
  stdout.write = ((...parameters: Parameters<typeof writeErr>) => {
    stderr.write(...parameters);
    // Never asks to wait: a pipe into stdout would wait for a 'drain' that only the protocol's bytes bring.
    return true;
  }) as typeof writeOut;
  // Other code may end stdout; that must not end the protocol.
  stdout.end = ((...parameters: Parameters<typeof writeErr>) => {
    if (parameters[0] !== undefined && typeof parameters[0] !== "function") stderr.write(...parameters);
    else afterwards(parameters);
    return stdout;
  }) as typeof endOut;
  for (const [name, call] of original) (fs as unknown as Record<string, Callable>)[name] = divert(call);
  syncBuiltinESMExports();

  return {
    write: (bytes, onWritten) => writeOut.call(stdout, bytes, undefined, onWritten),
    release() {
      Object.assign(stdout, { write: writeOut, end: endOut });
      stderr.write = writeErr;
      stderr.off("error", ignore);
      Object.assign(fs, Object.fromEntries(original));
      syncBuiltinESMExports();
    },
  };
}

/** The same function, but what is meant for descriptor 1 goes to 2, and is dropped where that takes no more. */
function divert(call: Callable): Callable {
  function diverted(target: unknown, ...rest: unknown[]): unknown {
    if (target !== 1) return call.call(fs, target, ...rest);
    try {
      return call.call(fs, 2, ...rest);
    } catch (error) {
      if (!["EAGAIN", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
      const bytes = countBytes(rest[0]);
      countDropped(bytes);
      return bytes;
    }
  }
  // With them go the marks by which `promisify` knows what a callback gets.
  return Object.defineProperties(diverted, Object.getOwnPropertyDescriptors(call));
}

function countBytes(data: unknown, encoding?: unknown): number {
  if (Array.isArray(data)) return data.reduce<number>((sum, part) => sum + countBytes(part), 0);
  return typeof data === "string"
    ? Buffer.byteLength(data, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8")
    : ((data as Partial<ArrayBufferView>).byteLength ?? 0);
}

function afterwards(parameters: readonly unknown[]): void {
  const callback = parameters.find((parameter) => typeof parameter === "function");
  if (callback) queueMicrotask(callback as () => void);
}
