// `read_file`: the text of a file, from a line on, as much as fits.

import { defineTool, type Tool, type ToolContext } from "@hawser/tools";
import { agentLimits } from "../limits.ts";
import { openInside } from "./files/open-inside.ts";
import { permitOf } from "./files/permit.ts";
import { readLines } from "./files/read-text.ts";
import type { Roots } from "./files/roots.ts";
import { toolNames } from "./tool-table.ts";

export function createReadFile(roots: Roots): Tool {
  return defineTool({
    name: toolNames.readFile,
    description:
      "Reads a text file (UTF-8). " +
      `At most ${agentLimits.readFileBytes} bytes at a time; if there is more, \`nextOffset\` is the line to go on from. ` +
      "Images and other binary files are refused.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, relative to the root folder." },
        offset: { type: "integer", minimum: 1, description: "The first line to read; lines count from 1. Default: 1." },
        limit: { type: "integer", minimum: 1, description: "How many lines at most. Default: as many as fit." },
      },
      required: ["path"],
      additionalProperties: false,
    },
    annotations: { title: "Read file", readOnlyHint: true, openWorldHint: false },
    run: (args, context) => readPart(roots, args, context),
  });
}

/** As much of a file as fits; `nextOffset` where there is more. */
export async function readPart(roots: Roots, args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<object> {
  const range = { from: toWhole(args["offset"], 1), count: toWhole(args["limit"], Infinity) };
  context.signal.throwIfAborted();
  await using file = await openInside(roots, String(args["path"]), permitOf(context));
  const { content, lines, hasMore, isLineCut } = await readLines(file, range, context.signal);
  const place = { path: file.shown, content, size: file.stats.size, ...(range.from > 1 && { offset: range.from }), lines };
  if (isLineCut) return { ...place, truncated: true, note: `Line ${range.from} is longer than an answer may be; it was cut.` };
  return hasMore ? { ...place, truncated: true, nextOffset: range.from + lines } : place;
}

const toWhole = (value: unknown, otherwise: number): number => (typeof value === "number" && value >= 1 ? Math.trunc(value) : otherwise);
