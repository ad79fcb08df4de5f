// Results that are larger than a client reads are put into a file that only this user can read;
// the client gets the beginning and a link. The file lies in the session's private directory and
// goes with it; with a parent that names none, in a directory of our own beside its socket, that goes with us.

import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { cutText, describeThrown, limits, toJsonText } from "@hawser/wire";
import { createSessionNames, onProcessEnd, SOCKET_FILE_PREFIX, type NameOptions } from "@hawser/wire/node";
import type { ToolResult } from "../contract.ts";
import { onlyTextOf } from "./client-result.ts";

export interface Spill {
  /** The result itself when it fits, else a preview with a link to the whole. */
  fit(result: ToolResult, size: ResultSize, privateDirectory: string | undefined): ToolResult;
  /** Whether a result fits that came as so many bytes. */
  fits(result: ToolResult, bytes: number): boolean;
}

export interface ResultSize {
  /** As it came; as it leaves it may be longer. */
  readonly bytes: number;
  readonly isTooDeep: boolean;
}

export interface SpillOptions {
  readonly socketPath: string;
  readonly maxResultBytes: number;
}

// What JSON may grow by when it is read and written again: `1e20` has 21 digits then, U+2028 is escaped.
const maxGrowth = 6;

export function createSpill({ socketPath, maxResultBytes }: SpillOptions): Spill {
  let ownDirectory: string | undefined;
  let spilledBytes = 0;

  function write(name: string, content: string, privateDirectory: string | undefined): string {
    const writeTo = (directory: string): string => {
      const path = join(directory, name);
      try {
        writeFileSync(path, content, { mode: 0o600, flag: "wx" });
      } catch (error) {
        // Half a result on a full disk would be in the way of everybody else.
        rmSync(path, { force: true });
        throw error;
      }
      return path;
    };
    try {
      if (privateDirectory !== undefined) return writeTo(privateDirectory);
    } catch {
      // The session is over, or its directory is not here: ours serves too.
    }
    return writeTo((ownDirectory ??= makeOwnDirectory(socketPath)));
  }

  function spill(result: ToolResult, json: string, privateDirectory: string | undefined): ToolResult {
    const text = readableTextOf(result);
    const content = text ?? json;
    const size = Buffer.byteLength(content);
    const written = size > maxResultBytes ? "" : ` (${Buffer.byteLength(json)} as JSON)`;
    const note = `The result has ${size} bytes${written}, more than the ${maxResultBytes} that are sent to a client.`;
    if (spilledBytes + size > limits.maxSpillBytes) return failure(`${note} No room is left to keep it in a file; ask for less.`);
    const name = `result-${crypto.randomUUID()}.${text === undefined ? "json" : "txt"}`;
    let path: string;
    try {
      path = write(name, content, privateDirectory);
    } catch (error) {
      return failure(`${note} It can't be kept in a file either: ${describeThrown(error)}; ask for less.`);
    }
    spilledBytes += size;
    const preview = cutText(content, limits.spillPreviewChars, "").toWellFormed();
    const mimeType = text === undefined ? "application/json" : "text/plain";
    return {
      content: [
        { type: "text", text: `${note} The whole is in the file ${path}; it begins:\n\n${preview}` },
        { type: "resource_link", uri: pathToFileURL(path).href, name, mimeType, size },
      ],
      ...(result.isError === true && { isError: true }),
    };
  }

  return {
    fit(result, { bytes, isTooDeep }, privateDirectory) {
      if (bytes * maxGrowth <= maxResultBytes && !isTooDeep) return result;
      const fitting = isTooDeep ? asJsonText(result) : result;
      const json = toJsonText(fitting);
      return Buffer.byteLength(json) <= maxResultBytes ? fitting : spill(fitting, json, privateDirectory);
    },
    fits: (result, bytes) => bytes * maxGrowth <= maxResultBytes || Buffer.byteLength(toJsonText(result)) <= maxResultBytes,
  };
}

/** A result that is nested too deeply for some readers arrives whole as its JSON text. */
function asJsonText(result: ToolResult): ToolResult {
  return { content: [{ type: "text", text: JSON.stringify(result) }], ...(result.isError === true && { isError: true }) };
}

/** The text of a result that says nothing more than that text: what people and models can read best. */
function readableTextOf(result: ToolResult): string | undefined {
  const text = onlyTextOf(result);
  const { structuredContent } = result;
  if (text === undefined || structuredContent === undefined) return text;
  const isSaidTwice = [structuredContent, structuredContent["result"]].some((value) => JSON.stringify(value) === text);
  return isSaidTwice ? text : undefined;
}

const failure = (text: string): ToolResult => ({ content: [{ type: "text", text }], isError: true });

// Named as sessions name theirs and put where they lie, so that the next session sweeps it away should we
// be killed; until then it must not look old.
function makeOwnDirectory(socketPath: string): string {
  const path = makeNamedDirectory(socketPath);
  onProcessEnd(() => rmSync(path, { recursive: true, force: true }));
  setInterval(() => touch(path), limits.staleSocketMs / 4).unref();
  return path;
}

function makeNamedDirectory(socketPath: string): string {
  const make = (options: NameOptions): string => {
    const { privateDirectory: path } = createSessionNames(options);
    mkdirSync(path, { mode: 0o700 });
    return path;
  };
  // Beside any other socket nobody would ever sweep.
  if (!basename(socketPath).startsWith(SOCKET_FILE_PREFIX)) return make({});
  try {
    return make({ directories: [dirname(resolve(socketPath))] });
  } catch {
    return make({});
  }
}

function touch(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // Somebody removed it; the next result will say so.
  }
}
