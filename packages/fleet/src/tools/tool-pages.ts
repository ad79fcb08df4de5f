// What machines say about their tools: an announcement, and the list itself in pages that one message can carry.

import type { ToolSchema } from "@hawser/bridge/internal";
import { HawserError, isRecord } from "@hawser/protocol/internal";
import { fleetLimits } from "../limits.ts";

export interface Announcement {
  readonly service: string;
  readonly id: string;
  /** Of the list: machines with the same one offer the same tools. */
  readonly digest: string;
  readonly pages: number;
  readonly startedAt: number;
  readonly machine: string;
  readonly isGone: boolean;
}

export const toAnnouncement = (announcement: Announcement): string => JSON.stringify(announcement);

/** Undefined for what is not of this form: any program with the right permissions may publish here. */
export function readAnnouncement(value: Record<string, unknown> | undefined): Announcement | undefined {
  const { service, id, digest, pages, startedAt, machine, isGone } = value ?? {};
  if (typeof service !== "string" || typeof id !== "string" || typeof machine !== "string") return undefined;
  if (typeof digest !== "string" || !/^[0-9a-f]{32}$/.test(digest)) return undefined;
  if (typeof pages !== "number" || !Number.isSafeInteger(pages) || pages < 0 || pages > fleetLimits.fleetToolEntries) return undefined;
  if (typeof startedAt !== "number") return undefined;
  return { service, id, digest, pages, startedAt, machine, isGone: isGone === true };
}

/** Throws `usage` for one schema that is larger than a message. */
export function toPages(schemas: readonly ToolSchema[], maxPayload: number): readonly string[] {
  if (schemas.length > fleetLimits.fleetToolEntries)
    throw new HawserError("usage", `${schemas.length} tools; at most ${fleetLimits.fleetToolEntries} can be offered to a fleet`);
  const pages: string[][] = [];
  let bytes = Infinity;
  for (const schema of schemas) {
    const text = JSON.stringify(schema);
    const size = Buffer.byteLength(text) + 1;
    if (size + 2 > maxPayload)
      throw new HawserError("usage", `the schema of tool "${schema.name}" has ${size} bytes, and the fleet's server carries ${maxPayload}`);
    if (bytes + size > maxPayload) {
      pages.push([]);
      bytes = 2;
    }
    pages.at(-1)?.push(text);
    bytes += size;
  }
  return pages.map((page) => `[${page.join(",")}]`);
}

/** Throws `invalid_message` for what isn't a list of tools. */
export function readPage(text: string): ToolSchema[] {
  const value: unknown = JSON.parse(text);
  const isTool = (entry: unknown): entry is ToolSchema =>
    isRecord(entry) && typeof entry["name"] === "string" && typeof entry["description"] === "string" && isRecord(entry["input_schema"]);
  if (Array.isArray(value) && value.every(isTool)) return value;
  throw new HawserError("invalid_message", "a machine of the fleet sent a list of tools that isn't one");
}
