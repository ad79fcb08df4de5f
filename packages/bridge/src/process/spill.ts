// Results that are larger than a client reads are put into a file that only this user can read;
// the client gets the beginning and a link. The file lies in the session's private directory and
// goes with it; with a parent that names none, in a directory of our own that goes with us.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { limits } from "@hawser/wire";
import { onProcessEnd } from "@hawser/wire/node";
import type { ToolResult } from "../contract.ts";

export interface Spill {
  /** The result itself when it fits, else a preview with a link to the whole. */
  fit(result: ToolResult, privateDirectory: string | undefined): ToolResult;
}

export function createSpill(maxResultBytes: number): Spill {
  let ownDirectory: string | undefined;
  let spilledBytes = 0;

  function directory(): string {
    if (ownDirectory === undefined) {
      const path = mkdtempSync(join(tmpdir(), "hawser-results-"));
      onProcessEnd(() => rmSync(path, { recursive: true, force: true }));
      ownDirectory = path;
    }
    return ownDirectory;
  }

  return {
    fit(result, privateDirectory) {
      const json = JSON.stringify(result);
      const bytes = Buffer.byteLength(json);
      if (bytes <= maxResultBytes) return result;
      const [only] = result.content;
      const text = result.content.length === 1 && only?.type === "text" ? String((only as { text?: unknown }).text) : undefined;
      const note = `The result has ${bytes} bytes, more than the ${maxResultBytes} that are sent to a client.`;
      if (spilledBytes + bytes > limits.maxSpillBytes) {
        return { content: [{ type: "text", text: `${note} No room is left to keep it in a file; ask for less.` }], isError: true };
      }
      spilledBytes += bytes;
      const name = `result-${randomUUID()}.${text === undefined ? "json" : "txt"}`;
      const path = join(privateDirectory ?? directory(), name);
      writeFileSync(path, text ?? json, { mode: 0o600, flag: "wx" });
      const preview = (text ?? json).slice(0, limits.spillPreviewChars);
      return {
        content: [
          { type: "text", text: `${note} The whole is in the file ${path}; it begins:\n\n${preview}` },
          {
            type: "resource_link",
            uri: pathToFileURL(path).href,
            name,
            mimeType: text === undefined ? "application/json" : "text/plain",
            size: bytes,
          },
        ],
        ...(result.isError === true && { isError: true }),
      };
    },
  };
}
